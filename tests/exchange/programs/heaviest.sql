CASE
  WHEN ("age" <= 40.5e0 OR (("age" > 40.5e0) IS NOT TRUE AND ("height" <= 1.75e0 OR (("height" > 1.75e0) IS NOT TRUE AND "size" IN ('S', 'L'))))) THEN CASE
    WHEN (("age" IS NULL) IS NOT TRUE AND ("height" IS NULL) IS NOT TRUE AND (0.5e0 * "age" + -2.0e0 * "height" > 3.25e0) IS NOT TRUE) THEN CASE
      WHEN "a feature with a name of more than thirty letters" = 'a value that is longer than any box of a picture' THEN CASE
        WHEN (("height" IS NULL) IS NOT TRUE) THEN 0.0e0
        WHEN "height" IS NULL THEN 0.0e0
        ELSE 0.0e0
      END
      WHEN "a feature with a name of more than thirty letters" = 'a "third"' THEN 1.0e0
      ELSE 1.0e0
    END
    ELSE CASE
      WHEN ("age" > 10.5e0 AND "age" <= 20.0e0) THEN 2.25e0
      WHEN ("age" > 20.0e0 AND "age" <= 65.0e0) THEN 2.25e0
      WHEN "age" > 65.0e0 THEN 0.0e0
      ELSE 0.0e0
    END
  END
  WHEN ("age" > 40.5e0 OR (("age" <= 40.5e0) IS NOT TRUE AND ("height" > 1.75e0 OR (("height" <= 1.75e0) IS NOT TRUE AND ("size" IN ('S', 'L')) IS NOT TRUE)))) THEN CASE
    WHEN "size" IN ('S', 'L') THEN CASE
      WHEN "smokes" = TRUE THEN 0.0e0
      ELSE 0.0e0
    END
    ELSE 30.0e0
  END
  ELSE 33.25e0
END
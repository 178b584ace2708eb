CASE
  WHEN ("age" <= 40.5e0 OR (("age" > 40.5e0) IS NOT TRUE AND ("height" <= 1.75e0 OR (("height" > 1.75e0) IS NOT TRUE AND "size" IN ('S', 'L'))))) THEN CASE
    WHEN (("age" IS NULL) IS NOT TRUE AND ("height" IS NULL) IS NOT TRUE AND (0.5e0 * "age" + -2.0e0 * "height" > 3.25e0) IS NOT TRUE) THEN CASE
      WHEN "a feature with a name of more than thirty letters" = 'grey & <blue>' THEN 'no'
      WHEN "a feature with a name of more than thirty letters" = 'a value that is longer than any box of a picture' THEN CASE
        WHEN (("height" IS NULL) IS NOT TRUE) THEN 'yes'
        WHEN "height" IS NULL THEN 'a class with a long name indeed'
        ELSE 'yes'
      END
      WHEN "a feature with a name of more than thirty letters" = 'a "third"' THEN 'no'
      ELSE 'no'
    END
    WHEN (("age" IS NULL) IS NOT TRUE AND ("height" IS NULL) IS NOT TRUE AND 0.5e0 * "age" + -2.0e0 * "height" > 3.25e0) THEN CASE
      WHEN "age" <= 10.5e0 THEN 'yes'
      WHEN ("age" > 10.5e0 AND "age" <= 20.0e0) THEN '八'
      WHEN ("age" > 20.0e0 AND "age" <= 65.0e0) THEN '八'
      WHEN "age" > 65.0e0 THEN '八'
      ELSE '八'
    END
    ELSE 'yes'
  END
  WHEN ("age" > 40.5e0 OR (("age" <= 40.5e0) IS NOT TRUE AND ("height" > 1.75e0 OR (("height" <= 1.75e0) IS NOT TRUE AND ("size" IN ('S', 'L')) IS NOT TRUE)))) THEN CASE
    WHEN "size" IN ('S', 'L') THEN CASE
      WHEN "smokes" = TRUE THEN 'no'
      WHEN ("smokes" = FALSE OR "smokes" IS NULL) THEN 'yes'
      ELSE 'no'
    END
    WHEN "size" = 'M' THEN 'perhaps'
    ELSE 'perhaps'
  END
  ELSE 'perhaps'
END
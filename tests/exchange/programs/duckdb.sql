CASE
  WHEN CASE WHEN "age" <= 40.5e0 THEN 1 WHEN ("age" > 40.5e0 AND "age" <> CAST('NaN' AS DOUBLE PRECISION)) THEN 0 WHEN "height" <= 1.75e0 THEN 1 WHEN ("height" > 1.75e0 AND "height" <> CAST('NaN' AS DOUBLE PRECISION)) THEN 0 WHEN "size" IN ('S', 'L') THEN 1 ELSE 0 END = 1 THEN CASE
    WHEN ((("age" IS NULL OR "age" = CAST('NaN' AS DOUBLE PRECISION))) IS NOT TRUE AND (("height" IS NULL OR "height" = CAST('NaN' AS DOUBLE PRECISION))) IS NOT TRUE AND ((0.5e0 * "age" + -2.0e0 * "height" > 3.25e0 AND 0.5e0 * "age" + -2.0e0 * "height" <> CAST('NaN' AS DOUBLE PRECISION))) IS NOT TRUE) THEN CASE
      WHEN "a feature with a name of more than thirty letters" = 'a value that is longer than any box of a picture' THEN CASE
        WHEN ("height" IS NULL OR "height" = CAST('NaN' AS DOUBLE PRECISION)) THEN 'a class with a long name indeed'
        ELSE 'yes'
      END
      ELSE 'no'
    END
    WHEN ((("age" IS NULL OR "age" = CAST('NaN' AS DOUBLE PRECISION))) IS NOT TRUE AND (("height" IS NULL OR "height" = CAST('NaN' AS DOUBLE PRECISION))) IS NOT TRUE AND (0.5e0 * "age" + -2.0e0 * "height" > 3.25e0 AND 0.5e0 * "age" + -2.0e0 * "height" <> CAST('NaN' AS DOUBLE PRECISION))) THEN CASE
      WHEN "age" <= 10.5e0 THEN 'yes'
      ELSE '八'
    END
    ELSE 'yes'
  END
  WHEN CASE WHEN ("age" > 40.5e0 AND "age" <> CAST('NaN' AS DOUBLE PRECISION)) THEN 1 WHEN "age" <= 40.5e0 THEN 0 WHEN ("height" > 1.75e0 AND "height" <> CAST('NaN' AS DOUBLE PRECISION)) THEN 1 WHEN "height" <= 1.75e0 THEN 0 WHEN ("size" IN ('S', 'L')) IS NOT TRUE THEN 1 ELSE 0 END = 1 THEN CASE
    WHEN "size" IN ('S', 'L') THEN CASE
      WHEN ("smokes" = FALSE OR "smokes" IS NULL) THEN 'yes'
      ELSE 'no'
    END
    ELSE 'perhaps'
  END
  ELSE 'perhaps'
END
COALESCE(
CASE
  WHEN t.sky = 'overcast' THEN 1.0e0
  WHEN t.sky = 'rainy' THEN CASE
    WHEN "windy" = FALSE THEN 1.0e0
    WHEN "windy" = TRUE THEN 0.0e0
  END
  WHEN t.sky = 'sunny' THEN CASE
    WHEN "humidity" = 'high' THEN 0.0e0
    WHEN "humidity" = 'normal' THEN 1.0e0
  END
END,
(WITH ends(part, own, c0, c1) AS (VALUES
  (CASE WHEN t.sky = 'rainy' OR t.sky = 'sunny' THEN 0.0e0 ELSE CASE WHEN t.sky = 'overcast' THEN 1.0e0 ELSE 0.2857142857142857e0 END END, 1, 0.0e0, 1.0e0),
  (CASE WHEN t.sky = 'overcast' OR t.sky = 'sunny' THEN 0.0e0 WHEN "windy" = TRUE THEN 0.0e0 ELSE CASE WHEN t.sky = 'rainy' THEN 1.0e0 ELSE 0.35714285714285715e0 END * CASE WHEN "windy" = FALSE THEN 1.0e0 ELSE 0.6e0 END END, 1, 0.0e0, 1.0e0),
  (CASE WHEN t.sky = 'overcast' OR t.sky = 'sunny' THEN 0.0e0 WHEN "windy" = FALSE THEN 0.0e0 ELSE CASE WHEN t.sky = 'rainy' THEN 1.0e0 ELSE 0.35714285714285715e0 END * CASE WHEN "windy" = TRUE THEN 1.0e0 ELSE 0.4e0 END END, 1, 1.0e0, 0.0e0),
  (CASE WHEN t.sky = 'overcast' OR t.sky = 'rainy' THEN 0.0e0 WHEN "humidity" = 'normal' THEN 0.0e0 ELSE CASE WHEN t.sky = 'sunny' THEN 1.0e0 ELSE 0.35714285714285715e0 END * CASE WHEN "humidity" = 'high' THEN 1.0e0 ELSE 0.6e0 END END, 1, 1.0e0, 0.0e0),
  (CASE WHEN t.sky = 'overcast' OR t.sky = 'rainy' THEN 0.0e0 WHEN "humidity" = 'high' THEN 0.0e0 ELSE CASE WHEN t.sky = 'sunny' THEN 1.0e0 ELSE 0.35714285714285715e0 END * CASE WHEN "humidity" = 'normal' THEN 1.0e0 ELSE 0.4e0 END END, 1, 0.0e0, 1.0e0)),
sums AS (SELECT MAX(part * own) AS owned, SUM(part * own * c0) AS s0, MAX(part * (1 - own) * c0) AS m0, SUM(part * own * c1) AS s1, MAX(part * (1 - own) * c1) AS m1 FROM ends),
answers AS (SELECT CASE WHEN owned > 0 THEN s0 ELSE m0 END AS c0, CASE WHEN owned > 0 THEN s1 ELSE m1 END AS c1 FROM sums)
 SELECT c1 FROM answers))
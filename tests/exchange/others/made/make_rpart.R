# Writes what test_rpart_text.py reads: the tables of two fits of rpart, rows with gaps, and what rpart predicts for them.
library(rpart)
set.seed(18)
with_gaps <- function(rows) {
  for (name in names(rows)) rows[[name]][runif(nrow(rows)) < 0.2] <- NA
  rows[rowSums(is.na(rows)) < ncol(rows), ]
}
write_fit <- function(name, fit, rows) {
  write.csv(fit$frame, paste0(name, "_frame.csv"))
  write.csv(fit$splits, paste0(name, "_splits.csv"))
  write.csv(fit$csplit, paste0(name, "_csplit.csv"))
  rows$predicted <- predict(fit, rows, type = if (fit$method == "class") "class" else "vector")
  write.csv(rows, paste0(name, "_rows.csv"), row.names = FALSE)
}
variables <- c("Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width")
fit <- rpart(Species ~ ., iris, control = rpart.control(minsplit = 5, cp = 0.001))
write_fit("iris", fit, with_gaps(rbind(iris[, variables], data.frame(Sepal.Length = 5.45, Sepal.Width = 2.65, Petal.Length = c(2.45, 4.95), Petal.Width = c(1.75, 1.55)))))
cars <- car90[!is.na(car90$Reliability), c("Reliability", "Price", "Country", "Mileage", "Type")]
fit <- rpart(Reliability ~ ., cars, control = rpart.control(minsplit = 10))
write_fit("cars", fit, with_gaps(cars[, -1]))
fit <- rpart(Mileage ~ ., cu.summary, weights = as.numeric(Reliability) %in% 2:4 + 0.5, control = rpart.control(minsplit = 8, cp = 0.001))
write_fit("mileage", fit, with_gaps(cu.summary[, -4]))
cat("levels:", paste(names(attr(fit, "xlevels")), sapply(attr(fit, "xlevels"), paste, collapse = "|")), paste(attr(fit, "ylevels"), collapse = "|"), sep = "\n")

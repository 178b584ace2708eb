# The trees of numbers that rpart grows from its own tables, as JSON, one file a table: Rscript rpart_anova.R <folder for the facts>

library(rpart)

folder <- commandArgs(trailingOnly = TRUE)[1]
TABLES <- list(car_mileage = list(Mileage ~ ., car.test.frame), car_price = list(Price ~ ., car.test.frame),
               summary_mileage = list(Mileage ~ ., cu.summary), summary_price = list(Price ~ ., cu.summary),
               kyphosis_age = list(Age ~ ., kyphosis), stagec_time = list(pgtime ~ ., stagec))

number <- function(value) ifelse(is.na(value), "null", format(value, digits = 15, trim = TRUE, scientific = FALSE, drop0trailing = TRUE))
text <- function(value) ifelse(is.na(value), "null", paste0("\"", value, "\""))
listed <- function(items) paste0("[", paste(items, collapse = ","), "]")
object <- function(...) { items <- c(...); paste0("{", paste0("\"", names(items), "\": ", items, collapse = ", "), "}") }
cells <- function(column) listed(if (is.factor(column)) text(as.character(column)) else number(column))

# A node as [cases, mean, deviance], then for a branch [..., feature, left, right].
written <- function(fit, name = 1) {
  node <- match(name, as.integer(rownames(fit$frame)))
  own <- with(fit$frame[node, ], number(c(n, yval, dev)))
  if (fit$frame$var[node] == "<leaf>") return(listed(own))
  listed(c(own, text(as.character(fit$frame$var[node])), vapply(2 * name + 0:1, function(child) written(fit, child), "")))
}

# Row i is in fold i modulo 5; rpart skips a fold 0, so folds count from 1.
run <- function(formula, table, control, ...) {
  fit <- rpart(formula, table, method = "anova", control = rpart.control(..., maxcompete = 0, xval = 1 + seq_len(nrow(table)) %% 5))
  object(control = text(control), cp = listed(apply(fit$cptable, 1, function(row) listed(number(row)))), tree = written(fit))
}

for (name in names(TABLES)) {
  formula <- TABLES[[name]][[1]]
  table <- TABLES[[name]][[2]]
  target <- as.character(formula[[2]])
  for (complete in c(TRUE, FALSE)) {
    rows <- if (complete) table[complete.cases(table), ] else table[!is.na(table[[target]]), ]
    if (!complete && !anyNA(rows)) next
    levels <- lapply(Filter(is.ordered, rows), function(column) listed(text(levels(column))))
    runs <- c(run(formula, rows, "default"), run(formula, rows, "full", minsplit = 2, minbucket = 1, cp = 0))
    lines <- c(peer = text(paste0("rpart ", packageVersion("rpart"))), target = text(target),
               ordered = if (length(levels)) do.call(object, levels) else "{}",
               columns = do.call(object, lapply(rows, cells)), runs = listed(runs))
    writeLines(gsub(", \"(columns|runs)\"", ",\n\"\\1\"", object(lines)),
               file.path(folder, "anova", paste0(name, if (complete) "" else "_gaps", ".json")))
  }
}

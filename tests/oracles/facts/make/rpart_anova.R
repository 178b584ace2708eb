# The regression trees and the trees of events that rpart grows, as JSON, one file a table: Rscript rpart_anova.R <folder for the facts>

library(rpart)
library(survival)

folder <- commandArgs(trailingOnly = TRUE)[1]
TABLES <- list(car_mileage = list(Mileage ~ ., car.test.frame), car_price = list(Price ~ ., car.test.frame),
               summary_mileage = list(Mileage ~ ., cu.summary), summary_price = list(Price ~ ., cu.summary),
               kyphosis_age = list(Age ~ ., kyphosis), stagec_time = list(pgtime ~ ., stagec))

# Events with exposure, of which some values are missing and some rows have weights.
generated <- function(seed, n = 120) {
  set.seed(seed)
  table <- data.frame(x = round(rnorm(n), 1), size = ordered(sample(c("S", "M", "L"), n, TRUE), c("S", "M", "L")),
                      colour = factor(sample(letters[1:6], n, TRUE)), z = sample(1:9, n, TRUE), years = round(0.1 + rexp(n), 2))
  table$n <- rpois(n, table$years * exp((table$x > 0.3) + (table$colour %in% c("a", "d")) - (table$size == "L")))
  if (seed %% 2) for (name in c("x", "colour", "z")) table[[name]][sample(n, n %/% 8)] <- NA
  table
}
EVENTS <- c(list(solder = list(skips ~ ., solder, "poisson"),
                 stagec = list(Surv(pgtime, pgstat) ~ ., stagec, "exp"), stagec_rate = list(cbind(pgtime, pgstat) ~ ., stagec, "poisson")),
            setNames(lapply(1:20, function(seed) list(cbind(years, n) ~ ., generated(seed), "poisson", if (seed %% 6 == 0) 1 + seq_len(120) %% 3)),
                     paste0("generated_", 1:20)),
            setNames(lapply(21:40, function(seed) list(y ~ ., subset(transform(generated(seed), y = round(n + rnorm(120), 1)), select = -n), "anova", if (seed %% 3 == 0) 1 + seq_len(120) %% 3)),
                     paste0("generated_", 21:40)))

number <- function(value) ifelse(is.na(value), "null", format(value, digits = 15, trim = TRUE, scientific = FALSE, drop0trailing = TRUE))
text <- function(value) ifelse(is.na(value), "null", paste0("\"", value, "\""))
listed <- function(items) paste0("[", paste(items, collapse = ","), "]")
object <- function(...) { items <- c(...); paste0("{", paste0("\"", names(items), "\": ", items, collapse = ", "), "}") }
cells <- function(column) listed(if (is.factor(column)) text(as.character(column)) else number(column))

# A node as [cases, mean, deviance], then for a branch [..., feature, left, right].
written <- function(fit, name = 1) {
  node <- match(name, as.integer(rownames(fit$frame)))
  own <- with(fit$frame[node, ], number(c(wt, yval, dev)))
  if (fit$frame$var[node] == "<leaf>") return(listed(own))
  listed(c(own, text(as.character(fit$frame$var[node])), vapply(2 * name + 0:1, function(child) written(fit, child), "")))
}

# Row i is in fold i modulo 5; rpart skips a fold 0, so folds count from 1.
run <- function(formula, table, control, ..., method = "anova", weights = NULL) {
  arguments <- list(formula, table, method = method, control = rpart.control(..., maxcompete = 0, xval = 1 + seq_len(nrow(table)) %% 5))
  fit <- do.call(rpart, if (is.null(weights)) arguments else c(arguments, list(weights = weights)))
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

for (name in names(EVENTS)) {
  formula <- EVENTS[[name]][[1]]
  method <- EVENTS[[name]][[3]]
  weights <- if (length(EVENTS[[name]]) > 3) EVENTS[[name]][[4]]
  answers <- all.vars(formula[[2]])
  rows <- EVENTS[[name]][[2]]
  levels <- lapply(Filter(is.ordered, rows), function(column) listed(text(levels(column))))
  # rpart's least sizes count rows, not cases; in full trees, many ties between surrogates are decided by chance.
  runs <- c(if (is.null(weights)) run(formula, rows, "default", method = method),
            if (!is.null(weights) && anyNA(rows)) run(formula, rows, "weighted", minsplit = 2, minbucket = 1, cp = 0.05, method = method, weights = weights),
            if (!anyNA(rows)) run(formula, rows, "full", minsplit = 2, minbucket = 1, cp = 0, method = method, weights = weights))
  times <- rpart(formula, rows, method = method, y = TRUE)$y
  lines <- c(peer = text(paste0("rpart ", packageVersion("rpart"))), target = text(answers[length(answers)]),
             if (method != "anova") c(exposure = if (length(answers) > 1) text(answers[1]) else "null"), method = text(method),
             ordered = if (length(levels)) do.call(object, levels) else "{}",
             weights = if (is.null(weights)) "null" else listed(weights),
             times = if (method == "exp") listed(number(times[, 1])) else "null",
             columns = do.call(object, lapply(rows, cells)), runs = listed(runs))
  writeLines(gsub(", \"(columns|runs)\"", ",\n\"\\1\"", object(lines)), file.path(folder, if (method == "anova") "anova" else "events", paste0(name, ".json")))
}

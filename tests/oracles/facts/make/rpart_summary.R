# What rpart's `summary` says of nodes, as JSON, one file a table: Rscript rpart_summary.R <folder for the facts>

library(rpart)

folder <- commandArgs(trailingOnly = TRUE)[1]
complete <- function(table) table[complete.cases(table), ]
TABLES <- list(kyphosis = list(Kyphosis ~ ., kyphosis, "class"), iris = list(Species ~ ., iris, "class"),
               stagec = list(pgstat ~ ., transform(stagec, pgstat = factor(pgstat)), "class"),
               mileage = list(Mileage ~ ., complete(car.test.frame), "anova"), price_gaps = list(Price ~ ., cu.summary, "anova"),
               solder = list(skips ~ ., solder, "poisson"))

number <- function(value) ifelse(is.na(value), "null", format(value, digits = 15, trim = TRUE, scientific = FALSE, drop0trailing = TRUE))
text <- function(value) ifelse(is.na(value), "null", paste0("\"", value, "\""))
listed <- function(items) paste0("[", paste(items, collapse = ","), "]")
object <- function(...) { items <- c(...); paste0("{", paste0("\"", names(items), "\": ", items, collapse = ", "), "}") }
cells <- function(column) listed(if (is.factor(column)) text(as.character(column)) else number(column))

# Each branch as [cases, [feature, improvement, cases without a value] of its split and of each competitor, [feature, agreement,
# adjusted agreement] of each surrogate].
branches <- function(fit) {
  used <- with(fit$frame, ifelse(var == "<leaf>", 0, 1 + ncompete + nsurrogate))
  found <- c()
  for (node in which(fit$frame$var != "<leaf>")) {
    first <- sum(used[seq_len(node - 1)])
    rows <- first + seq_len(1 + fit$frame$ncompete[node])
    stand <- first + 1 + fit$frame$ncompete[node] + seq_len(fit$frame$nsurrogate[node])
    names <- rownames(fit$splits)
    cases <- fit$frame$n[node]
    splits <- vapply(rows, function(row) listed(c(text(names[row]), number(fit$splits[row, "improve"]), number(cases - fit$splits[row, "count"]))), "")
    agreeing <- vapply(stand, function(row) listed(c(text(names[row]), number(fit$splits[row, "improve"]), number(fit$splits[row, "adj"]))), "")
    found <- c(found, listed(c(number(cases), listed(splits), listed(agreeing))))
  }
  listed(found)
}

# Predictions of `xpred.rpart`, a list for each row of a small table, the smallest tree first; row i is in fold i modulo 5.
out_of_fold <- function(fit, n) {
  if (n > 200) return("null")
  predicted <- as.matrix(xpred.rpart(fit, xval = 1 + seq_len(n) %% 5))
  listed(apply(predicted, 1, function(row) listed(number(row))))
}

run <- function(formula, rows, method, parms = list()) {
  arguments <- list(formula, rows, method = method, control = rpart.control(xval = 0))
  if (length(parms)) arguments$parms <- parms
  object(prior = if (is.null(parms$prior)) "null" else listed(number(parms$prior)),
         loss = if (is.null(parms$loss)) "null" else listed(apply(parms$loss, 1, function(row) listed(number(row)))),
         branches = branches(do.call(rpart, arguments)), predicted = out_of_fold(do.call(rpart, arguments), nrow(rows)))
}

for (name in names(TABLES)) {
  formula <- TABLES[[name]][[1]]
  method <- TABLES[[name]][[3]]
  target <- as.character(formula[[2]])
  rows <- TABLES[[name]][[2]]
  rows <- rows[!is.na(rows[[target]]), ]
  runs <- run(formula, rows, method)
  if (name == "kyphosis") runs <- c(runs, run(formula, rows, method, list(prior = c(0.5, 0.5))), run(formula, rows, method, list(loss = matrix(c(0, 4, 1, 0), 2))))
  levels <- lapply(Filter(is.ordered, rows), function(column) listed(text(levels(column))))
  lines <- c(peer = text(paste0("rpart ", packageVersion("rpart"))), target = text(target), method = text(method),
             ordered = if (length(levels)) do.call(object, levels) else "{}",
             columns = do.call(object, lapply(rows, cells)), runs = listed(runs))
  writeLines(gsub(", \"(columns|runs)\"", ",\n\"\\1\"", object(lines)), file.path(folder, "summary", paste0(name, ".json")))
}

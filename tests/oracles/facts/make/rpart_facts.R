# The trees of rpart as JSON, one file a table: Rscript rpart_facts.R <data folder> <folder for the facts>
# With names of tables after the folders: the trees of these, in which columns named "number..." are numeric.

library(rpart)

folders <- commandArgs(trailingOnly = TRUE)
TABLES <- c("votes_complete", "votes", "iris_uci", "weather", "weather_numeric", "lenses", "monks1_train", "monks2_train",
            "monks3_train", "tictactoe", "breast_cancer", "mushroom", "titanic", "car", "adult")
if (length(folders) > 2) TABLES <- folders[-(1:2)]
# Every other column is nominal, numbers as well.
NUMERIC <- list(iris_uci = c("sepal_length", "sepal_width", "petal_length", "petal_width"),
                weather_numeric = c("temperature", "humidity"),
                adult = c("age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"))
ROWS <- list(adult = 1000)
FULL <- rpart.control(minsplit = 2, minbucket = 1, cp = 0, xval = 0, maxcompete = 0, usesurrogate = 2, maxsurrogate = 5)
DEFAULT <- rpart.control(xval = 0)

# Tables ------------------------------------------------------------------------------------------------------------

is_numeric <- function(name, column) startsWith(column, "number") | column %in% NUMERIC[[name]]

read_table <- function(name) {
  cells <- read.csv(file.path(folders[1], paste0(name, ".csv")), colClasses = "character", na.strings = "?",
                    check.names = FALSE, strip.white = TRUE)
  if (!is.null(ROWS[[name]])) cells <- cells[seq_len(ROWS[[name]]), ]
  # Levels in the order of their characters' codes, whatever the locale.
  for (column in names(cells)) cells[[column]] <- if (is_numeric(name, column)) as.numeric(cells[[column]]) else
    factor(cells[[column]], levels = sort(unique(cells[[column]]), method = "radix"))
  cells
}

# JSON --------------------------------------------------------------------------------------------------------------

text <- function(value) paste0("\"", value, "\"")
number <- function(value) format(value, digits = 15, trim = TRUE, scientific = FALSE, drop0trailing = TRUE)
rounded <- function(value) number(round(value, 6))
listed <- function(items) paste0("[", paste(items, collapse = ","), "]")
object <- function(...) { items <- c(...); paste0("{", paste0("\"", names(items), "\": ", items, collapse = ", "), "}") }

# Trees -------------------------------------------------------------------------------------------------------------

# How many rows of `splits` each node of the frame has: its primary split, competitors, surrogates.
split_of <- function(fit, node) {
  used <- with(fit$frame, ifelse(var == "<leaf>", 0, 1 + ncompete + nsurrogate))
  1 + sum(used[seq_len(node - 1)])
}

# A split as [feature, "<" or ">=", cut] or [feature, values that go left, values that go right].
described <- function(fit, row) {
  feature <- rownames(fit$splits)[row]
  ways <- fit$splits[row, "ncat"]
  if (abs(ways) == 1) return(c(text(feature), text(if (ways < 0) "<" else ">="), number(fit$splits[row, "index"])))
  levels <- attr(fit, "xlevels")[[feature]]
  direction <- fit$csplit[fit$splits[row, "index"], seq_along(levels)]
  c(text(feature), listed(text(levels[direction == 1])), listed(text(levels[direction == 3])))
}

# A surrogate also has its agreement and the adjusted one.
surrogates <- function(fit, node, first) {
  rows <- first + fit$frame$ncompete[node] + seq_len(fit$frame$nsurrogate[node])
  agree <- fit$splits[rows, "improve"]  # the agreement stands in this column
  adjusted <- fit$splits[rows, "adj"]
  listed(vapply(seq_along(rows), function(one) listed(c(described(fit, rows[one]), rounded(agree[one]), rounded(adjusted[one]))), ""))
}

# A node as [class, counts], then for a branch [..., split, surrogates, left, right].
written <- function(fit, classes, name = 1) {
  numbers <- as.integer(rownames(fit$frame))
  node <- match(name, numbers)
  counts <- fit$frame$yval2[node, 1 + seq_along(classes)]
  own <- c(text(classes[fit$frame$yval[node]]), listed(number(counts)))
  if (fit$frame$var[node] == "<leaf>") return(listed(own))
  first <- split_of(fit, node)
  below <- vapply(2 * name + 0:1, function(child) written(fit, classes, child), "")
  listed(c(own, listed(described(fit, first)), surrogates(fit, node, first), below))
}

# Runs --------------------------------------------------------------------------------------------------------------

run <- function(table, impurity, control, prior = NULL, loss = NULL) {
  classes <- levels(table$class)
  parms <- list(split = impurity)
  if (!is.null(prior)) parms$prior <- prior
  if (!is.null(loss)) parms$loss <- loss
  fit <- rpart(class ~ ., data = table, method = "class", parms = parms, control = control)
  predicted <- predict(fit, table, type = "class")
  object(
    impurity = text(impurity),
    control = text(if (identical(control, FULL)) "full" else "default"),
    prior = if (is.null(prior)) "null" else listed(number(prior)),
    loss = if (is.null(loss)) "null" else listed(apply(loss, 1, function(row) listed(number(row)))),
    leaves = sum(fit$frame$var == "<leaf>"),
    right = sum(predicted == table$class),
    cp = listed(apply(fit$cptable[, 1:3, drop = FALSE], 1, function(row) listed(rounded(row)))),
    predicted = if (anyNA(table)) text(paste(as.integer(predicted) - 1, collapse = "")) else "null",
    tree = paste0("\n", written(fit, classes))
  )
}

runs <- function(name, table) {
  n <- nlevels(table$class)
  found <- c()
  for (impurity in c("gini", "information")) {
    for (control in list(FULL, DEFAULT)) {
      found <- c(found, run(table, impurity, control))
      if (name %in% c("votes", "votes_complete", "titanic")) {
        found <- c(found, run(table, impurity, control, prior = rep(1 / n, n)))
        found <- c(found, run(table, impurity, control, loss = matrix(c(0, 1, 3, 0), 2)))
        found <- c(found, run(table, impurity, control, prior = c(0.25, 0.75), loss = matrix(c(0, 2, 1, 0), 2)))
      }
      if (name == "iris_uci") found <- c(found, run(table, impurity, control, prior = c(0.5, 0.3, 0.2)))
    }
  }
  found
}

for (name in TABLES) {
  table <- read_table(name)
  head <- object(peer = text(paste0("rpart ", packageVersion("rpart"))), data = text(name), rows = nrow(table),
                 numeric = listed(vapply(Filter(function(column) is_numeric(name, column), names(table)), text, "")))
  writeLines(paste0(sub("}$", ",", head), "\n\"runs\": [\n", paste(runs(name, table), collapse = ",\n"), "]}"),
             file.path(folders[2], "rpart", paste0(name, ".json")))
}

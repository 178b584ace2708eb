# The trees of linear models that partykit's lmtree grows, as JSON, one file a table: Rscript lmtree.R <folder for the facts>

suppressMessages(library(partykit))

folder <- commandArgs(trailingOnly = TRUE)[1]
data("BostonHousing", package = "mlbench")
boston <- transform(BostonHousing, chas = factor(chas, labels = c("no", "yes")), lls = log(lstat), rm2 = rm^2, lstat = NULL, rm = NULL)

# Columns of numbers without ties, one with ties, and one of categories; by some the coefficients change.
generated <- function(seed, n = 200) {
  set.seed(seed)
  table <- data.frame(x1 = round(rnorm(n), 4), x2 = round(runif(n), 1), z1 = round(rnorm(n), 4), z2 = sample(1:9, n, TRUE),
                      z3 = factor(sample(letters[1:3], n, TRUE)), z4 = round(rexp(n), 4))
  slope <- switch(1 + seed %% 4, 0, 2 * (table$z1 > 0), 3 * (table$z3 == "b"), 2 * (table$z2 > 5) - (table$z1 > 0.5))
  table$y <- round(1 + slope * table$x1 + table$x2 + rnorm(n) * ifelse(table$z4 > 1, 1, 0.5), 3)
  table
}
TABLES <- c(list(boston = list("medv", c("lls", "rm2"), boston, 40),
                 boston_ordered = list("medv", c("lls", "rm2"), transform(boston, rad = factor(rad, ordered = TRUE)), 40),
                 airquality = list("Ozone", c("Temp", "Wind"), na.omit(airquality), 15),
                 iris = list("Sepal.Length", "Petal.Length", iris, 20),
                 cars = list("mpg", "wt", mtcars, 8)),
            setNames(lapply(1:12, function(seed) list("y", c("x1", "x2"), generated(seed), 25)), paste0("generated_", 1:12)))

number <- function(value) ifelse(is.finite(value), format(value, digits = 15, trim = TRUE), "null")
text <- function(value) paste0("\"", value, "\"")
listed <- function(items) paste0("[", paste(items, collapse = ","), "]")
object <- function(...) { items <- c(...); paste0("{", paste0("\"", names(items), "\": ", items, collapse = ", "), "}") }
cells <- function(column) listed(if (is.factor(column)) text(as.character(column)) else number(column))

# The supLM statistic of a column over the cuts between different values only.
between_values <- function(scores, column, least) {
  n <- nrow(scores); order <- order(column)
  upto <- apply(scores[order, , drop = FALSE], 2, cumsum)
  from <- max(ceiling(0.1 * n), least)
  cut <- which(c(diff(column[order]) > 0, FALSE) & seq_len(n) >= from & seq_len(n) <= n - from)
  if (!length(cut)) return(NA)
  part <- cut / n
  max(rowSums((upto[cut, , drop = FALSE] %*% solve(crossprod(scores))) * upto[cut, , drop = FALSE]) / (part * (1 - part)))
}

# A node: cases, coefficients, residual sum of squares; by feature partykit's statistic and p-value, and the statistic between values.
written <- function(tree, id, parts, on, least) {
  rows <- data_party(tree, id)
  model <- lm(reformulate(on, names(rows)[1]), rows)
  scores <- residuals(model) * model.matrix(model)
  test <- suppressWarnings(sctest.modelparty(tree, id))
  tests <- vapply(intersect(parts, colnames(test)), function(name) {
    own <- if (is.factor(rows[[name]])) test["statistic", name] else between_values(scores, rows[[name]], least)
    listed(number(c(test[, name], own)))
  }, "")
  node <- node_party(tree[[id]])
  lines <- c(cases = nrow(rows), coefficients = listed(number(coef(model))), lost = number(deviance(model)),
             tests = if (length(tests)) object(tests) else "{}")
  if (!is.terminal(node)) {
    split <- split_node(node); column <- names(tree$data)[split$varid]
    left <- if (is.null(split$index)) {
      if (is.ordered(tree$data[[column]])) text(levels(tree$data[[column]])[split$breaks]) else number(split$breaks)
    } else listed(text(levels(tree$data[[column]])[which(split$index == 1)]))
    kids <- vapply(kids_node(node), id_node, 0L)
    lines <- c(lines, feature = text(column), left = left,
               children = listed(vapply(kids + id - id_node(node), function(kid) written(tree, kid, parts, on, least), "")))
  }
  object(lines)
}

for (name in names(TABLES)) {
  target <- TABLES[[name]][[1]]; on <- TABLES[[name]][[2]]; table <- TABLES[[name]][[3]]; least <- TABLES[[name]][[4]]
  parts <- setdiff(names(table), c(target, on))
  formula <- as.formula(paste(target, "~", paste(on, collapse = "+"), "|", paste(parts, collapse = "+")))
  tree <- lmtree(formula, table, minsize = least)
  ordered <- lapply(Filter(is.ordered, table), function(column) listed(text(levels(column))))
  lines <- c(peer = text(paste0("partykit ", packageVersion("partykit"))), target = text(target), on = listed(text(on)), minsize = least,
             ordered = if (length(ordered)) object(unlist(ordered)) else "{}", loglik = number(as.numeric(logLik(tree))),
             columns = object(vapply(table, cells, "")), tree = written(tree, 1, parts, on, least))
  writeLines(gsub(", \"(columns|tree)\"", ",\n\"\\1\"", object(lines)), file.path(folder, paste0(name, ".json")))
}

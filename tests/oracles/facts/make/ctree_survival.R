# The trees of survival times that partykit's `ctree` grows, as JSON, one file a table: Rscript ctree_survival.R <folder for the facts>

suppressMessages({library(partykit); library(rpart); library(survival)})

folder <- commandArgs(trailingOnly = TRUE)[1]
data(GBSG2, package = "TH.data")

generated <- function(seed, n = 200) {
  set.seed(seed)
  table <- data.frame(x = round(rnorm(n), 1), size = ordered(sample(c("S", "M", "L"), n, TRUE), c("S", "M", "L")),
                      colour = factor(sample(letters[1:5], n, TRUE)), z = sample(1:9, n, TRUE))
  ended <- rexp(n, exp((table$x > 0.3) + (table$colour %in% c("a", "d")) - (table$size == "L")))
  seen <- rexp(n, 0.5)
  table$time <- ceiling(20 * pmin(ended, seen))
  table$died <- as.integer(ended <= seen)
  table
}
complete <- function(table) table[complete.cases(table), ]
TABLES <- c(list(veteran = transform(veteran, died = status, status = NULL),
                 lung = complete(transform(lung, died = status - 1, status = NULL, inst = NULL)),
                 stagec = complete(with(stagec, data.frame(time = pgtime, died = pgstat, age, eet, g2, grade, gleason, ploidy))),
                 pbc = complete(transform(pbc, died = as.integer(status == 2), status = NULL, id = NULL)),
                 gbsg2 = transform(GBSG2, died = cens, cens = NULL)),
            setNames(lapply(1:20, generated), paste0("generated_", 1:20)))

number <- function(value) format(value, digits = 15, trim = TRUE, scientific = FALSE, drop0trailing = TRUE)
text <- function(value) paste0("\"", value, "\"")
listed <- function(items) paste0("[", paste(items, collapse = ","), "]")
object <- function(...) { items <- c(...); paste0("{", paste0("\"", names(items), "\": ", items, collapse = ", "), "}") }
cells <- function(column) listed(if (is.factor(column)) text(as.character(column)) else number(column))

for (name in names(TABLES)) {
  rows <- TABLES[[name]]
  tree <- ctree(Surv(time, died) ~ ., rows, control = ctree_control(majority = TRUE, saveinfo = TRUE, splittry = 99))
  inner <- setdiff(nodeids(tree), nodeids(tree, terminal = TRUE))
  p <- vapply(nodeapply(tree, ids = inner, FUN = function(node) info_node(node)$criterion["p.value", names(tree$data)[split_node(node)$varid]]), identity, 0)
  levels <- lapply(Filter(is.ordered, rows), function(column) listed(text(levels(column))))
  lines <- c(peer = text(paste0("partykit ", packageVersion("partykit"))), ordered = if (length(levels)) do.call(object, levels) else "{}",
             leaves = listed(predict(tree, type = "node")), p_values = listed(format(p, digits = 12, trim = TRUE)),
             columns = do.call(object, lapply(rows, cells)))
  writeLines(gsub(", \"(columns|leaves)\"", ",\n\"\\1\"", object(lines)), file.path(folder, "ctree_survival", paste0(name, ".json")))
}

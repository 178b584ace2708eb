"""What R's rpart can do: each point is an expression of R that is TRUE."""

import subprocess

from abilities import Points

RPART = {
    "regression": "!is.null(rpart(Mileage ~ Weight, car.test.frame))",
    "survival analysis": "rpart(survival::Surv(pgtime, pgstat) ~ age, stagec)$method == 'exp'",
    "gradient boosting, random forests: no": "!any(grepl('boost|forest', ls('package:rpart')))",
    "nominal features": "!is.null(rpart(Kyphosis ~ factor(Number), kyphosis))",
    "multiway splits: no": "all(as.numeric(rownames(fit$frame)) %/% 2 %in% c(0, as.numeric(rownames(fit$frame))))",
    "missing values: surrogates": "any(fit$splits[, 'adj'] > 0)",
    "oblique splits: no": "all(fit$frame$var %in% c('<leaf>', 'Age', 'Number', 'Start'))",
    "priors and cost matrix": "!is.null(rpart(Kyphosis ~ Age, kyphosis, parms = list(prior = c(.7, .3), loss = loss)))",
    "pruning of a tree that is there": "nrow(prune(fit, cp = 0.5)$frame) == 1",
    "pruning: cost-complexity, by hand": "all(c('prune', 'snip.rpart', 'printcp') %in% ls('package:rpart'))",
    "parts of your own: splits": "rpart(Age ~ Start, kyphosis, method = own)$method == 'user'",
    "drawings: plots": "!is.null(getS3method('plot', 'rpart'))",
    "exports: none of its own": "!any(grepl('pmml|export|json|sql', ls('package:rpart')))",
}
R = """suppressMessages(library(rpart)); fit <- rpart(Kyphosis ~ ., kyphosis); loss <- matrix(c(0, 1, 2, 0), 2)
init <- function(y, offset, parms, wt) list(y = c(y), parms = NULL, numresp = 1, numy = 1, summary = function(...) "")
eval <- function(y, wt, parms) list(label = mean(y), deviance = sum((y - mean(y))^2))
split <- function(y, wt, x, parms, continuous) list(goodness = rep(1, length(y) - 1), direction = rep(-1, length(y) - 1))
own <- list(init = init, split = split, eval = eval)
"""


def points() -> Points:
    """Each point with the answer that R gave."""
    asked = "\n".join(f"cat(isTRUE(tryCatch({text}, error = function(e) FALSE)), '\\n')" for text in RPART.values())
    told = subprocess.run(["Rscript", "--vanilla", "-e", R + asked], capture_output=True, text=True, check=True)  # noqa: S607, S603
    answers = told.stdout.split()
    return {point: lambda answer=answer: answer == "TRUE" for point, answer in zip(RPART, answers, strict=True)}

"""What Weka can do, by the classes in its archive, their methods, and the options that J48 lists."""

import subprocess
import zipfile
from pathlib import Path, PurePath

from abilities import Points

JAR = Path("/usr/share/java/weka.jar")


def points() -> Points:
    """Each point with a function that looks it up."""
    names = {name[:-6] for name in zipfile.ZipFile(JAR).namelist() if name.endswith(".class") and "$" not in name}
    trees = sorted(name for name in names if PurePath(name).parent == PurePath("weka/classifiers/trees"))

    def told(*command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # a tool of Java's
        return done.stdout + done.stderr

    headers = told("javap", "-cp", str(JAR), *(name.replace("/", ".") for name in trees))
    options = told("java", "-cp", str(JAR), "weka.classifiers.trees.J48", "-h")
    return {
        "regression": lambda: "weka/classifiers/trees/M5P" in trees,
        "survival analysis: no": lambda: not [name for name in names if "urviv" in name],
        "gradient boosting": lambda: {"weka/classifiers/meta/LogitBoost", "weka/classifiers/meta/AdditiveRegression"} <= names,
        "random forests": lambda: "weka/classifiers/trees/RandomForest" in trees,
        "oblique splits: models at the nodes of FT": lambda: "weka/classifiers/trees/FT" in trees,
        "costs by a wrapper": lambda: "weka/classifiers/meta/CostSensitiveClassifier" in names,
        "pruning: error-based, reduced-error, cost-complexity": lambda: (
            "-C <" in options and "-R" in options and "weka/classifiers/trees/SimpleCart" in trees
        ),
        "pruning of a tree that is there: SimpleCart, in Java": lambda: "public void prune(double)" in headers,
        "tables that outgrow memory: no tree": lambda: "UpdateableClassifier" not in headers,
        "exports: Java, DOT": lambda: "-z <" in options and "-g" in options,
        "exports: no PMML": lambda: not [name for name in names if "pmml" in name and "Tree" in name],
        "drawings: its own viewer": lambda: "weka/gui/treevisualizer/TreeVisualizer" in names,
    }

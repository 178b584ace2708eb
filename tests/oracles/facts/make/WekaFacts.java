// The trees of Weka's Id3 and J48 as JSON, one file a table: java -cp weka.jar WekaFacts.java <data folder> <folder for the facts>
// With names of tables after the folders: J48's trees of these, in which columns named "number..." are numeric.

import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import weka.classifiers.trees.Id3;
import weka.classifiers.trees.J48;
import weka.classifiers.trees.j48.C45Split;
import weka.classifiers.trees.j48.ClassifierTree;
import weka.classifiers.trees.j48.Distribution;
import weka.core.Attribute;
import weka.core.FastVector;
import weka.core.Instance;
import weka.core.Instances;

public class WekaFacts {
  static final List<String> ID3 = List.of(
      "votes_complete", "lenses", "weather", "tictactoe", "monks1_train", "monks2_train", "monks3_train", "car", "titanic", "digits");
  static final List<String> J48 = List.of(
      "votes_complete", "votes", "iris_uci", "weather", "weather_numeric", "lenses", "monks1_train", "monks2_train", "monks3_train",
      "tictactoe", "breast_cancer", "mushroom", "titanic", "car", "adult");
  // Every other column is nominal, numbers as well.
  static final Map<String, List<String>> NUMERIC = Map.of(
      "iris_uci", List.of("sepal_length", "sepal_width", "petal_length", "petal_width"),
      "weather_numeric", List.of("temperature", "humidity"),
      "adult", List.of("age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"));
  // So many rows from the top, where not all are taken.
  static final Map<String, Integer> ROWS = Map.of("adult", 1000);
  static final Map<String, String> TEST = Map.of("votes_complete", "votes_incomplete");

  public static void main(String[] folders) throws Exception {
    Path data = Path.of(folders[0]), facts = Path.of(folders[1]);
    for (String name : Arrays.asList(folders).subList(2, folders.length)) j48(name, read(data, name, name), null, null, facts);
    if (folders.length > 2) return;
    for (String name : ID3) id3(name, read(data, name, name), facts);
    for (String name : J48) {
      String test = TEST.get(name);
      j48(name, read(data, name, name), test, test == null ? null : read(data, test, name), facts);
    }
  }

  // Tables ---------------------------------------------------------------------------------------------------------

  static List<String[]> lines(Path data, String name) throws Exception {
    List<String[]> lines = new ArrayList<>();
    for (String line : Files.readAllLines(data.resolve(name + ".csv"))) if (!line.isBlank()) lines.add(line.split(",", -1));
    return lines.subList(0, Math.min(lines.size(), 1 + ROWS.getOrDefault(name, lines.size())));
  }

  /** A table whose nominal values are those of the table `like`, sorted. */
  static Instances read(Path data, String name, String like) throws Exception {
    List<String[]> model = lines(data, like), rows = lines(data, name);
    String[] names = model.get(0);
    FastVector attributes = new FastVector();
    for (int column = 0; column < names.length; column++) {
      if (names[column].startsWith("number") || NUMERIC.getOrDefault(name, List.of()).contains(names[column])) {
        attributes.addElement(new Attribute(names[column]));
        continue;
      }
      TreeSet<String> values = new TreeSet<>();
      for (String[] row : model.subList(1, model.size())) if (!row[column].equals("?")) values.add(row[column]);
      FastVector listed = new FastVector();
      for (String value : values) listed.addElement(value);
      attributes.addElement(new Attribute(names[column], listed));
    }
    Instances table = new Instances(name, attributes, rows.size());
    table.setClassIndex(names.length - 1);
    for (String[] row : rows.subList(1, rows.size())) table.add(instance(table, row));
    return table;
  }

  static Instance instance(Instances table, String[] row) {
    Instance instance = new Instance(row.length);
    instance.setDataset(table);
    for (int column = 0; column < row.length; column++) {
      if (row[column].equals("?")) instance.setMissing(column);
      else if (table.attribute(column).isNumeric()) instance.setValue(column, Double.parseDouble(row[column]));
      else instance.setValue(column, row[column]);
    }
    return instance;
  }

  static boolean hasGaps(Instances table) {
    for (int row = 0; row < table.numInstances(); row++) if (table.instance(row).hasMissingValue()) return true;
    return false;
  }

  // Id3 ------------------------------------------------------------------------------------------------------------

  static void id3(String name, Instances table, Path facts) throws Exception {
    Id3 id3 = new Id3();
    id3.buildClassifier(table);
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(facts.resolve("id3").resolve(name + ".json")))) {
      out.println("{\"peer\": \"Weka 3.6.14, Id3\", \"data\": " + text(name) + ", \"rows\": " + table.numInstances() + ", \"numeric\": [],");
      out.println("\"tree\": " + node(id3, table) + "}");
    }
  }

  static String node(Id3 id3, Instances cases) throws Exception {
    Attribute attribute = (Attribute) field(id3, "m_Attribute");
    if (attribute == null) return leaf(cases.classAttribute(), (int) (double) field(id3, "m_ClassValue"), counts(cases));
    Id3[] below = (Id3[]) field(id3, "m_Successors");
    List<String> branches = new ArrayList<>();
    for (int value = 0; value < below.length; value++) {
      Instances part = new Instances(cases, 0);
      for (int row = 0; row < cases.numInstances(); row++)
        if (cases.instance(row).value(attribute) == value) part.add(cases.instance(row));
      if (part.numInstances() > 0) branches.add("[" + text(attribute.value(value)) + "," + node(below[value], part) + "]");
    }
    return "[" + text(attribute.name()) + ",[" + String.join(",", branches) + "]]";
  }

  static double[] counts(Instances cases) {
    double[] counts = new double[cases.numClasses()];
    for (int row = 0; row < cases.numInstances(); row++) counts[(int) cases.instance(row).classValue()]++;
    return counts;
  }

  // J48 ------------------------------------------------------------------------------------------------------------

  static List<String> options() {
    List<String> options = new ArrayList<>();
    for (String least : List.of("-M 1", "-M 2")) {
      options.add("-U " + least);
      for (String confidence : List.of(".05", ".10", ".25", ".50"))
        for (String raising : List.of("", "-S ")) options.add(raising + "-C " + confidence + " " + least);
    }
    return options;
  }

  static void j48(String name, Instances table, String testName, Instances test, Path facts) throws Exception {
    Map<String, J48> trees = new LinkedHashMap<>();
    List<String> runs = new ArrayList<>();
    for (String options : options()) {
      J48 j48 = new J48();
      j48.setOptions(options.split(" "));
      j48.buildClassifier(table);
      String tree = node((ClassifierTree) field(j48, "m_root"), table);
      trees.putIfAbsent(tree, j48);
      int number = new ArrayList<>(trees.keySet()).indexOf(tree);
      runs.add("{\"options\": " + text(options) + ", \"tree\": " + number + ", \"leaves\": " + (int) j48.measureNumLeaves()
          + ", \"nodes\": " + (int) j48.measureTreeSize() + ", \"right\": " + right(j48, table)
          + (test == null ? "" : ", \"test_right\": " + right(j48, test)) + "}");
    }
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(facts.resolve("j48").resolve(name + ".json")))) {
      List<String> numbers = new ArrayList<>();
      for (int column = 0; column < table.numAttributes(); column++)
        if (table.attribute(column).isNumeric()) numbers.add(text(table.attribute(column).name()));
      String numeric = String.join(", ", numbers);
      out.println("{\"peer\": \"Weka 3.6.14, J48\", \"data\": " + text(name) + ", \"rows\": " + table.numInstances() + ", \"numeric\": [" + numeric + "],");
      out.println("\"runs\": [\n" + String.join(",\n", runs) + "],");
      if (hasGaps(table)) out.println("\"predicted\": [\n" + each(trees, j48 -> predicted(j48, table)) + "],");
      if (test != null) out.println("\"test\": " + text(testName) + ",\n\"test_shares\": [\n" + each(trees, j48 -> shares(j48, test)) + "],");
      out.println("\"trees\": [\n" + String.join(",\n", trees.keySet()) + "]}");
    }
  }

  interface Fact { String of(J48 j48) throws Exception; }

  static String each(Map<String, J48> trees, Fact fact) throws Exception {
    List<String> facts = new ArrayList<>();
    for (J48 j48 : trees.values()) facts.add(fact.of(j48));
    return String.join(",\n", facts);
  }

  static int right(J48 j48, Instances table) throws Exception {
    int right = 0;
    for (int row = 0; row < table.numInstances(); row++)
      if (j48.classifyInstance(table.instance(row)) == table.instance(row).classValue()) right++;
    return right;
  }

  /** The number of each row's class, as one digit. */
  static String predicted(J48 j48, Instances table) throws Exception {
    StringBuilder digits = new StringBuilder();
    for (int row = 0; row < table.numInstances(); row++) digits.append((int) j48.classifyInstance(table.instance(row)));
    return text(digits.toString());
  }

  /** The first class's share for each row. */
  static String shares(J48 j48, Instances table) throws Exception {
    List<String> shares = new ArrayList<>();
    for (int row = 0; row < table.numInstances(); row++) shares.add(number(j48.distributionForInstance(table.instance(row))[0]));
    return "[" + String.join(",", shares) + "]";
  }

  static String node(ClassifierTree tree, Instances table) throws Exception {
    Distribution all = ((weka.classifiers.trees.j48.ClassifierSplitModel) field(tree, "m_localModel")).distribution();
    if ((boolean) field(tree, "m_isLeaf")) return leaf(table.classAttribute(), all.maxClass(), perClass(all));
    C45Split split = (C45Split) field(tree, "m_localModel");
    ClassifierTree[] below = (ClassifierTree[]) field(tree, "m_sons");
    Attribute attribute = table.attribute(split.attIndex());
    if (attribute.isNumeric())
      return "[" + text(attribute.name()) + "," + (double) field(split, "m_splitPoint") + "," + node(below[0], table) + "," + node(below[1], table) + "]";
    List<String> branches = new ArrayList<>();
    for (int value = 0; value < below.length; value++)
      // An empty leaf answers with its parent's majority.
      branches.add("[" + text(attribute.value(value)) + "," + ((boolean) field(below[value], "m_isEmpty")
          ? leaf(table.classAttribute(), all.maxClass(), new double[table.numClasses()]) : node(below[value], table)) + "]");
    return "[" + text(attribute.name()) + ",[" + String.join(",", branches) + "]]";
  }

  static double[] perClass(Distribution all) {
    double[] counts = new double[all.numClasses()];
    for (int label = 0; label < counts.length; label++) counts[label] = all.perClass(label);
    return counts;
  }

  // JSON -----------------------------------------------------------------------------------------------------------

  static String leaf(Attribute classes, int label, double[] counts) {
    return "[" + text(classes.value(label)) + ",[" + String.join(",", Arrays.stream(counts).mapToObj(WekaFacts::number).toList()) + "]]";
  }

  static String number(double count) {
    double rounded = Math.round(count * 1e6) / 1e6;
    return rounded == Math.rint(rounded) ? Long.toString((long) rounded) : Double.toString(rounded);
  }

  static String text(String value) {
    return "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  /** What a classifier keeps to itself. */
  static Object field(Object owner, String name) throws Exception {
    for (Class<?> type = owner.getClass(); type != null; type = type.getSuperclass())
      for (Field field : type.getDeclaredFields())
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field.get(owner);
        }
    throw new NoSuchFieldException(name);
  }
}

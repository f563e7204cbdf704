# usage: import-each.sh FOLDER MODEL...: imports each model and prints its name, the exit code and what was said.
folder=$1; shift
for model; do
  echo "$model:"
  timeout 20 heddle-translate --import-onnx "$folder/$model.onnx" > "$folder/out" 2>&1
  echo "exit $?"
  cat "$folder/out"
done

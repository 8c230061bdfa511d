include "arena";
include "strategy";

serve(choose; {name: "Thoughtful in shell and jq", language: "shell", version: "1.0.0"})

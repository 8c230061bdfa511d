import { serve } from "./arena.js";
import { choose } from "./strategy.js";

await serve(choose, {
  name: "Thoughtful in JavaScript",
  language: "javascript",
  version: "1.0.0",
  // Matches may share the process: an answer depends on its request alone, and takes so little time that the other
  // requests, which wait meanwhile with their clocks running, lose nothing by it.
  concurrency: 16,
});

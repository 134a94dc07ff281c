// Holds Block Kit payloads against Slack's own types for TypeScript. A line of JSON with cases (`target`, `payload`)
// comes in, a line with what is wrong with each of them goes out. The types are read once, for the first line.
import { createInterface } from "node:readline";
import path from "node:path";
import ts from "typescript";

const types = { blocks: "KnownBlock[]", modal: "ModalView", home: "HomeView" };
const options = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  module: ts.ModuleKind.CommonJS,
  moduleResolution: ts.ModuleResolutionKind.Node10,
  target: ts.ScriptTarget.ES2022,
  ignoreDeprecations: "6.0",
};
const file = path.join(process.cwd(), "payloads.ts");
let text = "";
let program;

const host = ts.createCompilerHost(options);
const disk = {
  source: host.getSourceFile.bind(host),
  exists: host.fileExists.bind(host),
  text: host.readFile.bind(host),
};
const sources = new Map();
host.fileExists = (name) => name === file || disk.exists(name);
host.readFile = (name) => (name === file ? text : disk.text(name));
host.getSourceFile = (name, ...rest) => {
  if (name === file) return ts.createSourceFile(name, text, options.target);
  if (!sources.has(name)) sources.set(name, disk.source(name, ...rest));
  return sources.get(name);
};

function judged(cases) {
  const lines = ['import type { KnownBlock, ModalView, HomeView } from "@slack/types";'];
  const starts = [];
  cases.forEach(({ target, payload }, index) => {
    starts.push(lines.length);
    const literal = JSON.stringify(payload, null, 1);
    lines.push(...`export const case${index}: ${types[target]} = ${literal};`.split("\n"));
  });
  text = lines.join("\n");
  program = ts.createProgram([file], options, host, program);
  const source = program.getSourceFile(file);
  const verdicts = cases.map(() => []);
  for (const found of [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]) {
    const { line } = source.getLineAndCharacterOfPosition(found.start);
    const index = Math.max(0, starts.findLastIndex((start) => start <= line));
    const [first] = ts.flattenDiagnosticMessageText(found.messageText, "\n").split("\n");
    verdicts[index].push(first.slice(0, 150));
  }
  return verdicts;
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(judged(JSON.parse(line)))}\n`);
}

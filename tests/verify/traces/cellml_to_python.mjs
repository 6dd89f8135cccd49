// SPDX-License-Identifier: GPL-3.0-or-later
// node cellml_to_python.mjs NODE_MODULES FILE.cellml > FILE.py
// Equations of a CellML text as a Python module: parsed, analysed and written by libCellML.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, file] = process.argv.slice(2);
const library = join(resolve(modules), "libcellml.js", "libcellml.common.js");
const cellml = await (await import(pathToFileURL(library))).default();

const parser = new cellml.Parser(false); // not strict: reads CellML 1.0, too
const model = parser.parseModel(readFileSync(file, "utf8"));
const analyser = new cellml.Analyser();
analyser.analyseModel(model);
const analysed = analyser.analyserModel();
if (analysed.type() !== cellml.AnalyserModel.Type.ODE) {
    for (let i = 0; i < analyser.issueCount(); ++i)
        console.error(analyser.issue(i).description());
    throw new Error(`${file}: no system of ordinary differential equations`);
}
process.stdout.write(
    new cellml.Generator().implementationCodeByProfileEnumeration(
        analysed, cellml.GeneratorProfile.Profile.PYTHON));

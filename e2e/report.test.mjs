// The report as a judge meets it: in a browser, on a phone, on paper.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { withPage } from "./browser.mjs";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "..");
const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const deck = path.join(root, "testdata", "decks", "d2_marks_matte_blue");

let dir, url, check;

before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fairdeck-report-"));
  // Sleeves 1 to 10: four of them carry known marks.
  const files = Array.from({ length: 10 }, (_, i) => path.join(deck, `back_00${i}.jpg`));
  const code = await run(path.join(root, "bin", "fairdeck"), ["inspect", ...files, "--lang", "en", "--out", path.join(dir, "out")])
    .then(() => 0, (e) => e.code);
  assert.equal(code, 10, "this deck has marks: exit code 10");
  check = JSON.parse(await readFile(path.join(dir, "out", "check.json"), "utf8"));
  url = pathToFileURL(path.join(dir, "out", "report.html")).href;
});

after(async () => { await rm(dir, { recursive: true, force: true }); });

async function audit(page) {
  // The page's policy forbids scripts, as it should; the audit comes in
  // through the debugger, which the policy does not bind.
  await page.evaluate(axeSource);
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return result.violations.map((v) => `${v.impact}: ${v.id} ${v.nodes[0]?.target} (${v.nodes.length})`);
}

for (const scheme of ["light", "dark"]) {
  test(`the report stands alone and is accessible, ${scheme}`, async () => {
    await withPage({ viewport: { width: 1280, height: 900 }, colorScheme: scheme }, async (page, seen) => {
      await page.goto(url);
      const pictures = await page.$$eval("img", (all) => all.map((i) => i.complete && i.naturalWidth > 0));
      assert.ok(pictures.length >= 10, `a picture of each sleeve: ${pictures.length}`);
      assert.ok(pictures.every(Boolean), "every picture shows");
      assert.deepEqual(await audit(page), []);
      assert.deepEqual(seen.outside, [], "nothing is fetched from elsewhere");
      assert.deepEqual(seen.errors, [], "the console is silent");
    });
  });
}

test("the report says what check.json says", async () => {
  await withPage({ viewport: { width: 1280, height: 900 } }, async (page) => {
    await page.goto(url);
    const text = await page.innerText("body");
    for (const line of check.verdict.lines) assert.ok(text.includes(line), `the page lacks: ${line}`);
    assert.ok((await page.innerText("h1")).includes(check.verdict.lines[0]), "the verdict is the headline");
    const flagged = check.sleeves.filter((s) => s.flags.length > 0).map((s) => s.sleeve);
    assert.ok(flagged.length > 0);
    for (const n of flagged) assert.ok(text.includes(`Sleeve ${n}`), `sleeve ${n} is shown`);
    assert.ok(!/cheat|intent|guilty|on purpose/i.test(text), "nothing is said about what anybody meant");
  });
});

test("the verdict is on the first screen of a phone and nothing scrolls sideways", async () => {
  await withPage({ viewport: { width: 360, height: 740 } }, async (page) => {
    await page.goto(url);
    const box = await page.locator("h1").boundingBox();
    assert.ok(box && box.y + box.height < 740, `the headline ends at ${box?.y + box?.height}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${wide} px too wide`);
  });
});

test("prints on A4 without empty or half pages", async () => {
  await withPage({}, async (page) => {
    await page.goto(url);
    const pdf = path.join(dir, "report.pdf");
    await page.pdf({ path: pdf, preferCSSPageSize: true });
    assert.ok((await stat(pdf)).size > 20_000, "the print has content");
    const raw = (await readFile(pdf)).toString("latin1");
    const pages = raw.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(pages >= 2 && pages <= 12, `${pages} pages for ten sleeves`);
    const boxes = [...raw.matchAll(/\/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)/g)].map((m) => [+m[1], +m[2]]);
    assert.ok(boxes.every(([w, h]) => Math.abs(w - 595) < 2 && Math.abs(h - 842) < 2), `not A4: ${boxes[0]}`);
  });
});

import { specifications } from "@tapeline/core/specifications"
import { rolldown } from "rolldown"
import { expect, it } from "vitest"

/** Creates the minified bundle of all exports of the given entries, as a browser loads it. */
const bundleOf = async (entries: ReadonlyArray<string>) => {
  const start = "\0start"
  await using bundle = await rolldown({
    input: start,
    platform: "browser",
    cwd: import.meta.dirname,
    plugins: [{
      name: "start",
      resolveId: (id) => id === start ? id : null,
      load: (id) => id === start ? entries.map((entry) => `export * from "${entry}"`).join("\n") : null
    }]
  })
  const { output } = await bundle.generate({ format: "esm", minify: true })
  const chunks = output.filter((file) => file.type === "chunk")
  return {
    bytes: chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0),
    modules: chunks.flatMap(({ moduleIds }) => moduleIds)
  }
}

/** The maximum number of kB that the specification of one tool adds to a bundle. */
const eachTool = 2

it.each([
  ["the specifications", ["@tapeline/core/specifications"], 110 + eachTool * specifications.length],
  [
    "a client of the whole API",
    ["@tapeline/api", "@tapeline/core/specifications"],
    312 + eachTool * specifications.length
  ]
])("bundles %s for browsers without any handler", async (name, entries, limit) => {
  const { bytes, modules } = await bundleOf(entries)
  console.log(`${name}: ${(bytes / 1000).toFixed(0)} kB minified, effect's schemas included`)
  // A browser loads the parser of strategies, because tools accept strategies as arguments, but no code that computes.
  const language = /packages\/quant\/src\/(strategy|backtest\/(variants|operandSyntax))\.ts$/
  expect(modules.filter((id) => /\.handler\.ts$|packages\/quant\//.test(id) && !language.test(id))).toEqual([])
  expect(modules.some((id) => id.endsWith("getPrice.ts"))).toBe(true)
  expect(bytes / 1000).toBeLessThan(limit)
}, 60_000)

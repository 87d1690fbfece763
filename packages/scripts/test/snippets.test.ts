import { isFullRun } from "@tapeline/testing/fullRun"
import { findProgram, skipWithoutProgram } from "@tapeline/testing/programs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findDifferences, findMissingLines } from "../src/snippets/compareOutput.ts"
import { readAllSnippets } from "../src/snippets/documentPages.ts"
import { parseSnippets, toPrograms } from "../src/snippets/parseSnippets.ts"
import { runProgramSnippets } from "../src/snippets/programSnippets.ts"
import { type SnippetService, startSnippetService } from "../src/snippets/service.ts"
import { hasShell, runShellSnippets } from "../src/snippets/shellSnippets.ts"
import { listPrograms } from "../src/snippets/snippetProject.ts"

/** The page whose commands the usual run tests. `npm run test:full` tests the commands and programs of all pages. */
const usualPage = "README.md"
const needsShell = {
  timeout: 60_000,
  ...skipWithoutProgram("bash and curl: install them", findProgram("bash") !== null && findProgram("curl") !== null)
}

const documents = readAllSnippets()
const block = (info: string, code: string): string => `\`\`\`${info}\n${code}\n\`\`\`\n`

it("has valid JSON in every JSON block", () => {
  const invalidSnippets = [...documents.values()].flat().filter(({ code, language }) => {
    if (language !== "json") return false
    try {
      JSON.parse(code)
      return false
    } catch {
      return true
    }
  })
  expect(invalidSnippets.map(({ line, page }) => `${page}:${line}`)).toEqual([])
})

describe("document snippets on one server", () => {
  let service: SnippetService
  beforeAll(async () => {
    service = await startSnippetService()
  }, 60_000)
  afterAll(() => service.stop(), 30_000)

  describe("commands", needsShell, () => {
    for (const [page, snippets] of documents) {
      if (!hasShell(snippets)) continue
      it.runIf(isFullRun || page === usualPage)(`succeed in ${page}`, async () => {
        expect(await runShellSnippets(snippets, service)).toEqual([])
      }, 90_000)
    }
  })

  it.runIf(isFullRun)("run as programs, and print the shown output", async () => {
    expect(await runProgramSnippets(listPrograms().filter(({ isRun }) => isRun), service)).toEqual([])
  }, 120_000)

  it("fail with a wrong command, field or output line", needsShell, async () => {
    const call = (tool: string) =>
      `curl -s http://127.0.0.1:8787/v1/tools/${tool} -H 'authorization: Bearer tl_live_...' -H 'content-type: application/json' -d '{"coin":"BTC"}'`
    const page = [
      block("sh", call("get_price")),
      block("json", `{ "tool": "get_price", "credits": 1, "...": "..." }`),
      block("sh", call("get_riches")),
      block("sh", "echo one"),
      block("text", "two"),
      block("sh", "false")
    ].join("\n")
    const faults = await runShellSnippets(parseSnippets("page.md", page), service)
    expect(faults.map((fault) => fault.split("\n")[0]!.replaceAll(service.url, "...").trim())).toEqual([
      "page.md:1: the response lacks the documented field $.credits",
      "page.md:9: .../v1/tools/get_riches returned the status 404",
      "page.md:13: \"two\" was not printed:",
      "page.md:21: the shell ended with code 1:"
    ])
    const programs = toPrograms(parseSnippets("page.md", `${block("ts", "console.log(1)")}\n${block("text", "one")}`))
    expect((await runProgramSnippets(programs, service))[0]).toContain("page.md:1: \"one\" was not printed")
  })
})

it("requires a language for each block, and a reason for a block that is not run", () => {
  for (
    const [info, complaint] of [
      ["", "has no language"],
      ["python", "unknown language"],
      ["sh no-run", "without a reason"],
      ["sh soon", "unknown directive"],
      ["json continued", "only blocks of TypeScript"]
    ]
  ) {
    expect(() => parseSnippets("page.md", block(info!, "x"))).toThrow(complaint!)
  }
  expect(() => parseSnippets("page.md", "```sh\n")).toThrow("has no end")
  const page = `<!-- before\nconst a = 1\n-->\n\n${block("ts", "const b = a")}\n${
    block("ts continued", "const c = b")
  }\n${block("text", "2")}`
  expect(toPrograms(parseSnippets("page.md", page))).toEqual([
    { page: "page.md", line: 5, code: "const a = 1\nconst b = a\n\nconst c = b\n", isRun: true, expectedOutput: "2" }
  ])
})

it("reports fields and lines that differ between the shown and the actual output", () => {
  expect(findDifferences({ a: 1, "...": "..." }, { a: 2, b: 3 })).toEqual([])
  expect(findDifferences({ a: 1, b: [{ c: 1 }, "..."] }, { a: "2", b: [] })).toEqual([
    "$.a is documented as number, but is string",
    "the response lacks the documented item $.b[0]"
  ])
  expect(findDifferences({ a: null }, { a: 2, b: 3 })).toEqual(["the document lacks the field $.b of the response"])
  expect(findMissingLines("BTC 92,046.5 USD\nid: ...", "BTC 1 USD\nid: 7-8")).toEqual([])
  expect(findMissingLines("BTC 1 EUR", "BTC 1 USD")).toEqual(["BTC 1 EUR"])
})

import type { Finding, Rule } from "./tidy.ts"

/** A permitted number of violations of a style rule in a file, which may only decrease. */
export interface Exception {
  readonly file: string
  readonly rule: Rule
  readonly size: number
  readonly reason: string
}

const formatFinding = ({ file, places, rule, count }: Finding, maxCount: number): string =>
  `${file}: ${rule} ${count}${maxCount > 0 ? `, at most ${maxCount} here` : ""} (${places.slice(0, 8).join("; ")})`

/** Returns the violations that no exception permits, and the exceptions that permit more violations than exist. */
export const compareWithExceptions = (
  found: ReadonlyArray<Finding>,
  exceptionList: ReadonlyArray<Exception>
): { readonly wrong: ReadonlyArray<string>; readonly loose: ReadonlyArray<string> } => {
  const keyOf = ({ file, rule }: { readonly file: string; readonly rule: Rule }) => `${rule} ${file}`
  const maxCount = new Map(exceptionList.map((exception) => [keyOf(exception), exception.size]))
  const sizes = new Map(found.map((finding) => [keyOf(finding), finding.count]))
  return {
    wrong: found
      .filter((finding) => finding.count > (maxCount.get(keyOf(finding)) ?? 0))
      .map((finding) => formatFinding(finding, maxCount.get(keyOf(finding)) ?? 0)),
    loose: exceptionList
      .filter((exception) => (sizes.get(keyOf(exception)) ?? 0) < exception.size)
      .map((exception) => `${keyOf(exception)}: ${exception.size} listed, ${sizes.get(keyOf(exception)) ?? 0} left`)
  }
}

/** Creates exceptions from one style rule. `sizes` contains the permitted number of violations for each file. */
const exceptionsFor = (rule: Rule, reason: string, sizes: Readonly<Record<string, number>>): ReadonlyArray<Exception> =>
  Object.entries(sizes).map(([file, size]) => ({ file, rule, size, reason }))

export const exceptions: ReadonlyArray<Exception> = [
  ...exceptionsFor("any", "an OpenAPI document as effect gives it, whose parts have no type", {
    "packages/api/src/example.ts": 1,
    "packages/document/src/OpenApiDocument.ts": 1
  }),
  ...exceptionsFor("any", "parsed JSON and untyped peers, read field by field", {
    "examples/add-a-tool/src/main.ts": 1,
    "packages/quant/test/vectors.test.ts": 8,
    "packages/server/test/support/service.ts": 1
  }),
  ...exceptionsFor("file", "the frozen text of a migration, which never changes again", {
    "packages/postgres/src/migrations/0018_baseline.ts": 1588
  }),
  ...exceptionsFor("line", "the frozen text of a migration, which never changes again", {
    "packages/postgres/src/migrations/0018_baseline.ts": 7
  }),
  ...exceptionsFor("name", "a namespace of functions around one class", {
    "packages/testing/src/ledger/auditor.ts": 1
  })
]

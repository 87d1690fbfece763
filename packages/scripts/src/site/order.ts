/** The order in which docs/ is read, from its index, and the links from each page to the one before and after it. */
import { posix } from "node:path"

export interface Place {
  readonly title: string
  /** Relative to docs/. */
  readonly path: string
}

/** The pages of docs/README.md: each is an item of a list, a link with a sentence behind it. */
export const orderOf = (index: string): ReadonlyArray<Place> =>
  [...index.matchAll(/^ *- \[([^\]]+)\]\(([^)#]+)\): \S/gmu)].map(([, title, path]) => ({ title: title!, path: path! }))

const footer = /\n+---\n\n\[Contents\]\([^)]*\)[^\n]*\n$/u

/** A page without the links at its foot. */
export const withoutFooter = (text: string): string => text.replace(footer, "\n")

/** A page with the links at its foot that the order gives it. */
export const withFooter = (order: ReadonlyArray<Place>, path: string, text: string): string => {
  const at = order.findIndex((place) => place.path === path)
  if (at < 0) throw new Error(`docs/README.md does not list ${path}`)
  const link = ({ path: to, title }: Place) => `[${title}](${posix.relative(posix.dirname(path), to)})`
  const before = order[at - 1]
  const after = order[at + 1]
  const links = [
    link({ title: "Contents", path: "README.md" }),
    ...before === undefined ? [] : [`before: ${link(before)}`],
    ...after === undefined ? [] : [`next: ${link(after)}`]
  ]
  return `${withoutFooter(text).trimEnd()}\n\n---\n\n${links.join(" · ")}\n`
}

/** Lines of an index of decisions, from their files' texts by name. */
export const decisionsList = (files: ReadonlyMap<string, string>): string =>
  [...files].sort(([a], [b]) => a < b ? -1 : 1).map(([file, text]) => {
    const title = /^# (\d+\. .+)$/mu.exec(text)?.[1]
    if (title === undefined) throw new Error(`docs/decisions/${file} has no title such as "# 7. Derived data"`)
    const [number, ...words] = title.split(" ")
    return `${number} [${words.join(" ").replaceAll("`", "")}](${file})`
  }).join("\n")

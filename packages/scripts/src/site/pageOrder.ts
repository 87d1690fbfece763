import { posix } from "node:path"

export interface PageLink {
  readonly title: string
  readonly path: string
}

/** Returns the pages that the index in `docs/README.md` lists, each as a list item with a link and a description. */
export const parsePageOrder = (index: string): ReadonlyArray<PageLink> =>
  [...index.matchAll(/^ *- \[([^\]]+)\]\(([^)#]+)\): \S/gmu)].map(([, title, path]) => ({ title: title!, path: path! }))

const footerPattern = /\n+---\n\n\[Contents\]\([^)]*\)[^\n]*\n$/u

export const withoutFooter = (text: string): string => text.replace(footerPattern, "\n")

/** Returns a page with links to the previous and the next page in its footer. */
export const withFooter = (order: ReadonlyArray<PageLink>, path: string, text: string): string => {
  const pageIndex = order.findIndex((place) => place.path === path)
  if (pageIndex < 0) throw new Error(`docs/README.md does not list ${path}`)
  const link = ({ path: to, title }: PageLink) => `[${title}](${posix.relative(posix.dirname(path), to)})`
  const previousPage = order[pageIndex - 1]
  const nextPage = order[pageIndex + 1]
  const links = [
    link({ title: "Contents", path: "README.md" }),
    ...previousPage === undefined ? [] : [`before: ${link(previousPage)}`],
    ...nextPage === undefined ? [] : [`next: ${link(nextPage)}`]
  ]
  return `${withoutFooter(text).trimEnd()}\n\n---\n\n${links.join(" · ")}\n`
}

/** Returns the list of decisions for the index page, in Markdown. `files` maps file names to texts of decisions. */
export const decisionsList = (files: ReadonlyMap<string, string>): string =>
  [...files].sort(([a], [b]) => a < b ? -1 : 1).map(([file, text]) => {
    const title = /^# (\d+\. .+)$/mu.exec(text)?.[1]
    if (title === undefined) throw new Error(`docs/decisions/${file} has no title such as "# 7. Derived data"`)
    const [number, ...words] = title.split(" ")
    return `${number} [${words.join(" ").replaceAll("`", "")}](${file})`
  }).join("\n")

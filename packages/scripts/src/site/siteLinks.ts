import { posix } from "node:path"
import { toSitePath } from "./sidebar.ts"

/** The fields of a token of markdown-it that `adaptLinks` reads and changes. */
export interface MarkdownToken {
  type: string
  children: Array<MarkdownToken> | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}

/**
 * Returns the address on the site for a link of a page, or null if the link becomes plain text. A link to a file
 * outside `docs` leads to the repository, or becomes plain text if the address of the repository is unknown.
 */
export const siteLinkOf = (page: string, href: string, repositoryFiles: string | undefined): string | null => {
  if (/^([a-z]+:|#)/iu.test(href)) return href
  const [path = "", anchor] = href.split("#")
  const target = posix.join("docs", posix.dirname(page), path)
  const isPage = target.startsWith("docs/") && target.endsWith(".md")
  const address = isPage
    ? toSitePath(path)
    : repositoryFiles === undefined
    ? null
    : `${repositoryFiles}/${target.replace(/\/$/u, "")}`
  return address === null || anchor === undefined ? address : `${address}#${anchor}`
}

/** Adapts the links of a page to the site. `page` is the path of the page below `docs`. */
export const adaptLinks = (
  tokens: ReadonlyArray<MarkdownToken>,
  page: string,
  repositoryFiles: string | undefined
): void => {
  for (const token of tokens) {
    if (token.children === null) continue
    const removedLinks: Array<boolean> = []
    token.children = token.children.filter((child) => {
      if (child.type === "link_close") return removedLinks.pop() !== true
      if (child.type !== "link_open") return true
      const address = siteLinkOf(page, child.attrGet("href") ?? "", repositoryFiles)
      removedLinks.push(address === null)
      if (address !== null) child.attrSet("href", address)
      return address !== null
    })
  }
}

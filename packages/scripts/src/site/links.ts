/** Links of a page, and what they lead to: addresses elsewhere apart. */

/** The page without what only looks like a link: blocks and spans of code, and comments. */
const prose = (text: string): string =>
  text.replaceAll(/^( *)```[^]*?^ *```$/gmu, "").replaceAll(/<!--[^]*?-->/gu, "").replaceAll(/`[^`\n]*`/gu, "`code`")

export interface Link {
  /** A path relative to the page's folder; empty for a place on the page itself. */
  readonly path: string
  /** The anchor behind the `#`, or null. */
  readonly anchor: string | null
}

/** The relative links of a page, pictures too. */
export const linksOf = (text: string): ReadonlyArray<Link> =>
  [...prose(text).matchAll(/\]\(((?!https?:|mailto:)[^)\s]+)\)/gu)].map(([, target]) => {
    const [path = "", anchor = null] = target!.split("#")
    return { path, anchor }
  })

/** What a heading is called in an address, as GitHub does: of the second and later of one name with a number. */
export const anchorsOf = (text: string): ReadonlySet<string> => {
  const anchors = new Map<string, number>()
  const found = new Set<string>()
  const withoutBlocks = text.replaceAll(/^( *)```[^]*?^ *```$/gmu, "").replaceAll(/<!--[^]*?-->/gu, "")
  for (const [, heading] of withoutBlocks.matchAll(/^#{1,6} +(.+?) *$/gmu)) {
    const slug = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1").replaceAll(/[`*]/gu, "").toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-")
    const before = anchors.get(slug) ?? 0
    anchors.set(slug, before + 1)
    found.add(before === 0 ? slug : `${slug}-${before}`)
  }
  return found
}

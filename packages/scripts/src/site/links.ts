/** Links of a page and their targets, without external addresses. */

/** Removes text that only looks like a link: code blocks, code spans and comments. */
const withoutCode = (text: string): string =>
  text.replaceAll(/^( *)```[^]*?^ *```$/gmu, "").replaceAll(/<!--[^]*?-->/gu, "").replaceAll(/`[^`\n]*`/gu, "`code`")

export interface Link {
  /** A path relative to the page's folder. Empty for a target on the page itself. */
  readonly path: string
  /** The anchor after the `#`, or null. */
  readonly anchor: string | null
}

/** The relative links of a page, including pictures. */
export const findLinks = (text: string): ReadonlyArray<Link> =>
  [...withoutCode(text).matchAll(/\]\(((?!https?:|mailto:)[^)\s]+)\)/gu)].map(([, target]) => {
    const [path = "", anchor = null] = target!.split("#")
    return { path, anchor }
  })

/** The anchors of headings, as GitHub forms them. Repeated names get a number. */
export const findAnchors = (text: string): ReadonlySet<string> => {
  const anchors = new Map<string, number>()
  const found = new Set<string>()
  const withoutBlocks = text.replaceAll(/^( *)```[^]*?^ *```$/gmu, "").replaceAll(/<!--[^]*?-->/gu, "")
  for (const [, heading] of withoutBlocks.matchAll(/^#{1,6} +(.+?) *$/gmu)) {
    const slug = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1").replaceAll(/[`*]/gu, "").toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-")
    const count = anchors.get(slug) ?? 0
    anchors.set(slug, count + 1)
    found.add(count === 0 ? slug : `${slug}-${count}`)
  }
  return found
}

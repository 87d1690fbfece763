/** Removes text that only looks like a link: code blocks, code spans and comments. */
const withoutCode = (text: string): string =>
  text.replaceAll(/^( *)```[^]*?^ *```$/gmu, "").replaceAll(/<!--[^]*?-->/gu, "").replaceAll(/`[^`\n]*`/gu, "`code`")

export interface Link {
  /** The path of the link's target, relative to the page's folder, or an empty text for a target on the page itself. */
  readonly path: string
  /** The anchor of the link after `#`, or null without an anchor. */
  readonly anchor: string | null
}

/** Returns the relative links of a page, including links to pictures. */
export const findLinks = (text: string): ReadonlyArray<Link> =>
  [...withoutCode(text).matchAll(/\]\(((?!https?:|mailto:)[^)\s]+)\)/gu)].map(([, target]) => {
    const [path = "", anchor = null] = target!.split("#")
    return { path, anchor }
  })

/** Returns the anchor that GitHub creates for the text of a heading. */
export const anchorOf = (heading: string): string =>
  heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-")

/** Returns the anchors that GitHub creates for the headings of a page. Repeated anchors have a number at the end. */
export const findAnchors = (text: string): ReadonlySet<string> => {
  const anchors = new Map<string, number>()
  const found = new Set<string>()
  const withoutBlocks = text.replaceAll(/^( *)```[^]*?^ *```$/gmu, "").replaceAll(/<!--[^]*?-->/gu, "")
  for (const [, heading] of withoutBlocks.matchAll(/^#{1,6} +(.+?) *$/gmu)) {
    const slug = anchorOf(heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1").replaceAll(/[`*]/gu, ""))
    const count = anchors.get(slug) ?? 0
    anchors.set(slug, count + 1)
    found.add(count === 0 ? slug : `${slug}-${count}`)
  }
  return found
}

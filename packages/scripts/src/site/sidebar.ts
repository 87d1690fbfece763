/** A group or a page of the sidebar, as VitePress reads the sidebar. */
export interface SidebarItem {
  readonly text: string
  readonly link?: string
  readonly items?: Array<SidebarItem>
  readonly collapsed?: boolean
}

const headingPattern = /^(#{2,3}) (.+)$/u
const pagePattern = /^( *)- \[([^\]]+)\]\(([^)#]+)\): \S/u

/** Returns the path of a page below the site, where the page of a folder is `index.md` instead of `README.md`. */
export const toSitePath = (path: string): string => path.replace(/(^|\/)README\.md$/u, "$1index.md")

/**
 * Returns the sidebar for the index in `docs/README.md`: a group for each heading, and the pages that the list below
 * the heading names. The pages of a nested list belong to the page before the nested list.
 */
export const parseSidebar = (index: string): ReadonlyArray<SidebarItem> => {
  const groups: Array<SidebarItem> = []
  /** The open groups and pages with their depth: headings first, then pages by their indentation. */
  let open: ReadonlyArray<{ readonly depth: number; readonly items: Array<SidebarItem> }> = []
  const add = (depth: number, item: SidebarItem & { readonly items: Array<SidebarItem> }) => {
    open = open.filter((parent) => parent.depth < depth)
    const parent = open.at(-1)
    if (parent === undefined) groups.push(item)
    else parent.items.push(item)
    open = [...open, { depth, items: item.items }]
  }
  for (const line of index.split("\n")) {
    const [, marks, heading] = headingPattern.exec(line) ?? []
    const [, indentation, title, path] = pagePattern.exec(line) ?? []
    if (marks !== undefined && heading !== undefined) add(marks.length, { text: heading, items: [] })
    if (indentation !== undefined && title !== undefined && path !== undefined) {
      add(4 + indentation.length, { text: title, link: `/${toSitePath(path)}`, collapsed: true, items: [] })
    }
  }
  const withoutEmptyLists = ({ items = [], ...item }: SidebarItem): SidebarItem =>
    items.length > 0
      ? { ...item, items: items.map(withoutEmptyLists) }
      : { text: item.text, ...(item.link === undefined ? {} : { link: item.link }) }
  return groups.map(withoutEmptyLists)
}

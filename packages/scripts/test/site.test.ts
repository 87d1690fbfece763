import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../src/manifest.ts"
import { readPageOrder } from "../src/site/docsPages.ts"
import { parseSidebar, type SidebarItem, toSitePath } from "../src/site/sidebar.ts"
import { adaptLinks, type MarkdownToken, siteLinkOf } from "../src/site/siteLinks.ts"

const sidebar = parseSidebar(readFileSync(join(root, "docs/README.md"), "utf8"))
const linksOf = ({ items = [], link }: SidebarItem): ReadonlyArray<string> => [
  ...link === undefined ? [] : [link],
  ...items.flatMap(linksOf)
]

it("has the four kinds of pages in the sidebar, and each page of docs/README.md once, in the same order", () => {
  expect(sidebar.map(({ text }) => text)).toEqual(["Tutorials", "How-to guides", "Reference", "Explanation"])
  expect(sidebar.flatMap(linksOf)).toEqual(readPageOrder().map(({ path }) => `/${toSitePath(path)}`))
})

it("puts headings of the third level and nested lists of the index into groups", () => {
  const index =
    "# All\n\n- [No](no.md)\n\n## A\n\n### B\n\n- [One](one.md): 1\n  - [Two](a/README.md): 2\n\n## C\n\n- [D](d.md): 3\n"
  expect(parseSidebar(index)).toEqual([
    {
      text: "A",
      items: [{
        text: "B",
        items: [{ text: "One", link: "/one.md", collapsed: true, items: [{ text: "Two", link: "/a/index.md" }] }]
      }]
    },
    { text: "C", items: [{ text: "D", link: "/d.md" }] }
  ])
})

it("keeps links between pages, and leads other relative links to the repository or removes them", () => {
  const repository = "https://git.example/tapeline/blob/v1"
  const links: ReadonlyArray<readonly [string, string | null, string | null]> = [
    ["https://example.com/a.md", "https://example.com/a.md", "https://example.com/a.md"],
    ["#limits", "#limits", "#limits"],
    ["../tools.md#calls", "../tools.md#calls", "../tools.md#calls"],
    ["README.md", "index.md", "index.md"],
    ["../README.md", "../index.md", "../index.md"],
    ["../../README.md#embed-it", `${repository}/README.md#embed-it`, null],
    ["../../deploy/", `${repository}/deploy`, null],
    ["../../packages/core/src/index.ts", `${repository}/packages/core/src/index.ts`, null],
    ["../pictures", `${repository}/docs/pictures`, null]
  ]
  for (const [href, withRepository, withoutRepository] of links) {
    expect(siteLinkOf("reference/crypto.md", href, repository), href).toBe(withRepository)
    expect(siteLinkOf("reference/crypto.md", href, undefined), href).toBe(withoutRepository)
  }
})

it("removes both ends of a removed link and keeps its text", () => {
  const token = (type: string, href: string | null = null): MarkdownToken => ({
    type,
    children: null,
    attrGet: () => href,
    attrSet: (_, value) => void (href = value)
  })
  const kept = token("link_open", "README.md")
  const children = [token("link_open", "../deploy"), token("text"), token("link_close"), kept, token("link_close")]
  const inline: MarkdownToken = { ...token("inline"), children }
  adaptLinks([token("paragraph_open"), inline], "start.md", undefined)
  expect(inline.children!.map(({ type }) => type)).toEqual(["text", "link_open", "link_close"])
  expect(kept.attrGet("href")).toBe("index.md")
})

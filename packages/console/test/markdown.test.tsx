import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import * as fc from "fast-check"
import { renderToStaticMarkup } from "react-dom/server"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { Markdown } from "../browser/pages/analyst/Markdown.tsx"
import type { FigureMark } from "../browser/pages/analyst/markFigures.ts"

const service = "https://tapeline.example.com"

beforeAll(() => {
  vi.stubGlobal("location", { origin: service })
  vi.stubGlobal("isSecureContext", false)
})
afterAll(() => {
  vi.unstubAllGlobals()
})

/** Returns the HTML that the page renders for the text of an answer. */
const render = (text: string, marks: ReadonlyArray<FigureMark> = []): string =>
  renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <Markdown text={text} charts={[]} marks={marks} />
    </QueryClientProvider>
  )

const visibleText = (text: string): string => render(text).replaceAll(/<span class="hidden">[^<]*<\/span>|<[^>]*>/g, "")

const elementsOf = (html: string) =>
  [...html.matchAll(/<([a-z][^\s/>]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/g)].map(([, name, attributes]) => ({
    name: name!,
    attributes: new Map([...attributes!.matchAll(/([^\s=]+)(?:="([^"]*)")?/g)].map(([, key, value]) => [key!, value]))
  }))

/** The HTML elements that an answer may contain: elements that load nothing, run nothing and accept no input. */
const known = new Set(
  `a bdi blockquote br code del div em figure h3 h4 h5 h6 hr li ol p path pre rect section span strong sup svg table
  tbody td th thead tr ul`.split(/\s+/)
)

const fragments: ReadonlyArray<string> = [
  ..."< > [ ]( ) ![ ` ``` | --- [^1] &lt; <script> <a href= <!-- onerror= javascript: data:text/html, https://evil.example"
    .split(" "),
  "\n",
  "\n\n",
  "- [ ] ",
  "\"",
  "'",
  `${service}/app`
]

const faultsOf = (html: string): ReadonlyArray<string> =>
  elementsOf(html).flatMap(({ attributes, name }) => {
    const names = [...attributes.keys()]
    const href = attributes.get("href")
    return [
      ...(known.has(name) ? [] : [`an element ${name}`]),
      ...names.filter((one) => /^on|^src|^srcdoc$|^action$|^formaction$|^xlink/.test(one)).map((one) =>
        `${name} ${one}`
      ),
      ...(href === undefined || /^https?:\/\//.test(href) ? [] : [`links to ${href}`]),
      ...(href?.startsWith(service) === true ? ["links to the service itself"] : []),
      ...(name === "a" && attributes.get("rel") !== "noopener noreferrer nofollow"
        ? ["a link without the `rel` values"]
        : [])
    ]
  })

/** Marks each occurrence of the numbers in a text: those in `unmatched` have no source. */
const marksIn = (text: string, numbers: ReadonlyArray<string>, unmatched: ReadonlyArray<string> = []) => {
  let from = 0
  return numbers.map((number): FigureMark => {
    const offset = text.indexOf(number, from)
    from = offset + number.length
    return { text: number, offset, ...(unmatched.includes(number) ? {} : { call: "1.1", path: "/price" }) }
  })
}

const markedIn = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/<button[^>]*>([^<]*)/g)].map(([, number]) => number!)

describe("The numbers of an answer", () => {
  it.each([
    ["**$66,980** today.\n\n- +1.5% and $66,980\n- `70.2`", ["$66,980", "+1.5%", "$66,980", "70.2"]],
    ["| coin | price |\n|---|---|\n| BTC | $66,980 |\n| ETH | $2,613 |", ["$66,980", "$2,613"]],
    ["# 12.5% of 40\n\n1. It is\n   97.1 & 3.4\n\n> 5.5", ["12.5%", "40", "97.1", "3.4", "5.5"]],
    ["A \\$66,980 price &amp; 12.5%", ["$66,980", "12.5%"]],
    ["원화 6만 6,980달러\n\n[1]: https://example.com\n\n🚀 12억", ["6만 6,980달러", "12억"]]
  ])("are buttons at their positions: %s", (text, numbers) => {
    const html = render(text, marksIn(text, numbers))
    expect(markedIn(html)).toEqual(numbers)
    expect(html.replaceAll(/<button[^>]*>|<\/button>/g, "")).toBe(render(text))
  })

  it("have a hidden note if they have no source, and are no buttons in links", () => {
    const text = "12.5% or 40 at [66,980](https://other.example/1)"
    const html = render(text, marksIn(text, ["12.5%", "40", "66,980"], ["40"]))
    expect(markedIn(html)).toEqual(["12.5%", "40"])
    expect(html.match(/<span class="hidden"> \(no source\)<\/span>/g)).toHaveLength(1)
  })

  it("never change the text or add other elements, whatever the marks are", () => {
    const places = fc.record({ offset: fc.nat(80), text: fc.constantFrom("1", "12", "a", "]", "`") })
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...fragments, "12", " 1 "), { maxLength: 12 }),
        fc.array(places),
        (parts, marks) => {
          const text = parts.join("")
          const html = render(text, [...marks].sort((a, b) => a.offset - b.offset))
          expect(html.replaceAll(/<span class="hidden"> \(no source\)<\/span>|<button[^>]*>|<\/button>/g, "")).toBe(
            render(text)
          )
        }
      ),
      { numRuns: 200 }
    )
  })
})

describe("An answer's text", () => {
  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<style>*{display:none}</style>",
    "<form action=https://evil.example><input name=key></form>",
    "<base href=https://evil.example>",
    "<a href=javascript:alert(1)>x</a>"
  ])("shows HTML as text: %s", (text) => {
    for (const markdown of [text, `BTC ${text} up`, `- ${text}`, `| ${text} |\n|---|\n| 1 |`]) {
      expect(faultsOf(render(markdown))).toEqual([])
    }
    expect(visibleText(text)).toContain(text.replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("'", "&#x27;"))
  })

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java&#x09;script:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://evil.example/1",
    "//evil.example/x",
    "/app/keys",
    "#tl_link_abc",
    `${service}/app/sign-in#tl_link_abc`,
    `${service.toUpperCase()}/app/sign-in#tl_link_abc`,
    "http://127.0.0.1:8787/app/sign-in#tl_link_abc"
  ])("does not link to %s", (address) => {
    for (
      const text of [
        `[here](${address})`,
        `[here](<${address}>)`,
        `![here](${address})`,
        `[here][1]\n\n[1]: ${address}`
      ]
    ) {
      expect(render(text)).not.toContain("href=")
      expect(render(text)).not.toContain("<img")
    }
  })

  it("shows a link in place of an image of another site", () => {
    const html = render("![a chart](https://evil.example/pixel.png?key=1)")
    expect(html).not.toContain("<img")
    expect(html).toContain("href=\"https://evil.example/pixel.png?key=1\"")
    expect(visibleText("![a chart](https://evil.example/pixel.png)")).toBe(
      "Image on another site: a chart (evil.example)"
    )
  })

  it.each([
    ["[CoinDesk](https://evil.example/x)", "CoinDesk (evil.example)"],
    ["[https://coindesk.com](https://evil.example/x)", "https://coindesk.com (evil.example)"],
    ["[coindesk.com/x](https://evil.example/x)", "coindesk.com/x (evil.example)"],
    ["https://coindesk.com@evil.example/x", "https://coindesk.com@evil.example/x (evil.example)"],
    ["[https://cоindesk.com/](https://xn--cindesk-u4g.com/)", "https://cоindesk.com/ (xn--cindesk-u4g.com)"],
    ["https://coindesk.com/x", "https://coindesk.com/x"],
    ["[coindesk.com](https://coindesk.com/)", "coindesk.com"]
  ])("shows the host of a link: %s", (text, visible) => {
    expect(visibleText(text)).toBe(visible)
  })

  it("isolates the text direction of a link", () => {
    const html = render("[\u202emoc.ksednioc](https://evil.example/)")
    expect(html).toContain("<bdi>\u202emoc.ksednioc</bdi><bdi")
  })

  it("labels the checkboxes of a task list, and contains no inputs", () => {
    const html = render("- [x] stop at 57,000\n- [ ] take profit")
    expect(elementsOf(html).flatMap(({ attributes }) => attributes.get("aria-label") ?? [])).toEqual([
      "Done",
      "Not done"
    ])
    expect(html).not.toContain("<input")
  })

  it("contains no unsafe element or link, for any combination of fragments", () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom(...fragments)
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 16 }), (parts) => {
        expect(faultsOf(render(parts.join("")))).toEqual([])
      }),
      { numRuns: 300 }
    )
  })
})

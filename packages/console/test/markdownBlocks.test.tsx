import * as fc from "fast-check"
import { renderToStaticMarkup } from "react-dom/server"
import ReactMarkdown from "react-markdown"
import remarkGfm from "remark-gfm"
import { expect, it } from "vitest"
import { splitBlocks } from "../browser/pages/analyst/markdownBlocks.ts"

const render = (text: string): string =>
  renderToStaticMarkup(<ReactMarkdown remarkPlugins={[remarkGfm]}>{text}</ReactMarkdown>)

/** Removes the line breaks, because only the line breaks may differ between the two renderings. */
const removeLineBreaks = (html: string): string => html.replaceAll("\n", "")

const fragments = [
  ..."a|b c|- |1. |* |+ |> |# |```|~~~|````|    |  |\t|`|*|**|[x](y)|[^1]|[1]:|<b>|<!--|-->|<pre>|---|===|\\|\u00a0"
    .split("|"),
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "- [x] c",
  "\n",
  "\n",
  "\n\n",
  "\n\n",
  "\r\n"
]

const texts = fc.array(fc.constantFrom(...fragments), { maxLength: 24 }).map((parts) => parts.join(""))

it("renders the blocks of a text like the whole text", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const blocks = splitBlocks(text)
      expect(blocks.join("\n")).toBe(text)
      expect(removeLineBreaks(blocks.map(render).join(""))).toBe(removeLineBreaks(render(text)))
    }),
    { numRuns: 200 }
  )
})

it("changes only the last block while an answer grows", () => {
  const answer =
    "# BTC\n\nIt **rose**.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n\n- two\n\n```ts\nlet a\n\nlet b\n```\n\nThe end."
  const blocks = splitBlocks(answer)
  expect(blocks).toEqual([
    "# BTC\n",
    "It **rose**.\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n\n- two\n",
    "```ts\nlet a\n\nlet b\n```\n",
    "The end."
  ])
  for (let i = 0; i < answer.length; i++) {
    const finished = splitBlocks(answer.slice(0, i)).slice(0, -1)
    expect(blocks.slice(0, finished.length)).toEqual(finished)
  }
})

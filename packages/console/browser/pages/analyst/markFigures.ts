import type { Figure, UnmatchedNumber } from "@tapeline/core/specifications"

/** A number of an answer, with its source; an unmatched number has none. */
export type FigureMark = typeof UnmatchedNumber.Type & Partial<Omit<typeof Figure.Type, "text" | "offset">>

interface TextNode {
  readonly type: "text"
  readonly value: string
  readonly position?: { readonly start: { readonly offset?: number }; readonly end: { readonly offset?: number } }
}

interface ElementNode {
  readonly type: "element"
  readonly tagName: string
  readonly properties: Readonly<Record<string, string>>
  children: ReadonlyArray<MarkdownNode>
}

type MarkdownNode =
  | TextNode
  | ElementNode
  | { readonly type: "root"; children: ReadonlyArray<MarkdownNode> }
  /** HTML, which the page shows as text. */
  | { readonly type: "raw"; readonly value: string }

/**
 * Returns the positions of marks in a text node. The node's text may lack characters of the source, such as escapes.
 */
const placeMarks = (
  { position, value }: TextNode,
  source: string,
  marks: ReadonlyArray<FigureMark>
): ReadonlyArray<{ readonly at: number; readonly mark: FigureMark }> => {
  const [start, end] = [position?.start.offset, position?.end.offset]
  if (start === undefined || end === undefined) return []
  const own = marks.filter(({ offset, text }) => offset >= start && offset + text.length <= end)
  const isExact = source.slice(start, end) === value
  let from = 0
  return own.flatMap((mark) => {
    const at = isExact ? mark.offset - start : value.indexOf(mark.text, from)
    if (at < from || value.slice(at, at + mark.text.length) !== mark.text) return []
    from = at + mark.text.length
    return [{ at, mark }]
  })
}

const splitText = (node: TextNode, source: string, marks: ReadonlyArray<FigureMark>): ReadonlyArray<MarkdownNode> => {
  const placed = placeMarks(node, source, marks)
  if (placed.length === 0) return [node]
  let from = 0
  const parts = placed.flatMap(({ at, mark }): ReadonlyArray<MarkdownNode> => {
    const before = node.value.slice(from, at)
    from = at + mark.text.length
    return [
      { type: "text", value: before },
      {
        type: "element",
        tagName: "data",
        properties: { value: String(marks.indexOf(mark)) },
        children: [{ type: "text", value: mark.text }]
      }
    ]
  })
  return [...parts, { type: "text", value: node.value.slice(from) }]
}

/**
 * A plugin of `rehype` that puts each marked number into an element `data`, whose `value` is the index of the mark.
 * Numbers in links stay as they are, because a link cannot contain a button.
 *
 * @param source the Markdown text that the tree was parsed from, to which the marks' offsets refer
 */
export const markFigures = ({ marks, source }: {
  readonly marks: ReadonlyArray<FigureMark>
  readonly source: string
}) => {
  const visit = (node: MarkdownNode): void => {
    if (!("children" in node) || (node.type === "element" && node.tagName === "a")) return
    node.children = node.children.flatMap((child) => child.type === "text" ? splitText(child, source, marks) : [child])
    for (const child of node.children) if (child.type !== "element" || child.tagName !== "data") visit(child)
  }
  return (tree: MarkdownNode): void => visit(tree)
}

/** Returns the marks of the answer's numbers, in the order of the text. */
export const listMarks = ({ figures = [], unmatched = [] }: {
  readonly figures?: ReadonlyArray<typeof Figure.Type> | undefined
  readonly unmatched?: ReadonlyArray<typeof UnmatchedNumber.Type> | undefined
}): ReadonlyArray<FigureMark> => [...figures, ...unmatched].sort((a, b) => a.offset - b.offset)

import { ArrowUpRight, Square, SquareCheck } from "lucide-react"
import { createContext, memo, type ReactNode, use, useMemo } from "react"
import ReactMarkdown, { type Components } from "react-markdown"
import remarkGfm from "remark-gfm"
import { useTexts } from "../../i18n/texts.ts"
import { ChartImage } from "../../widgets/ChartImage.tsx"
import { Code } from "../../widgets/Code.tsx"
import { HorizontalScroll } from "../../widgets/HorizontalScroll.tsx"
import { FigureView } from "./FigureView.tsx"
import { findChart, isOwnUrl, safeExternalUrl, showsOwnUrl } from "./links.ts"
import styles from "./Markdown.module.css"
import { splitBlocks } from "./markdownBlocks.ts"
import { type FigureMark, markFigures } from "./markFigures.ts"
import { analystTexts } from "./texts.ts"

interface TextNode {
  readonly type: string
  readonly value?: string
  readonly properties?: { readonly href?: unknown; readonly src?: unknown }
  readonly children?: ReadonlyArray<TextNode>
}

const textOf = (node: TextNode): string => node.value ?? (node.children ?? []).map(textOf).join("")

const Charts = createContext<ReadonlyArray<string>>([])
/** The marked numbers of a block of an answer. */
const Marks = createContext<ReadonlyArray<FigureMark>>([])

const MarkedNumber = ({ children, value }: { readonly value?: unknown; readonly children?: ReactNode }) => {
  const mark = use(Marks)[Number(value)]
  return mark === undefined ? children : <FigureView mark={mark}>{children}</FigureView>
}

/**
 * A link to another site. The link shows the host of its target unless the text of the link is the URL. The element
 * `bdi` prevents the text of a link from changing the direction of the surrounding text.
 */
const ExternalLink = ({ children, href, text }: {
  readonly href: string
  readonly text: string
  readonly children: ReactNode
}) => {
  const texts = useTexts(analystTexts)
  const { host } = new URL(href)
  if (isOwnUrl(href, location.origin)) return <bdi>{children}</bdi>
  return (
    <a
      className={styles["outwards"]}
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      referrerPolicy="no-referrer"
      title={href}
    >
      <bdi>{children}</bdi>
      {showsOwnUrl(text, href) ? "" : <bdi className="soft">{` (${host})`}</bdi>}
      <ArrowUpRight aria-hidden />
      <span className="hidden">{texts.otherSite}</span>
    </a>
  )
}

const MarkdownLink = ({ children, href = "", node }: {
  readonly href?: string | undefined
  readonly node?: TextNode | undefined
  readonly children?: ReactNode
}) => {
  const chart = findChart(href, use(Charts))
  const texts = useTexts(analystTexts)
  if (chart !== undefined) return <ChartImage alt={texts.chart} chart={chart} />
  return href === ""
    ? <span>{children}</span>
    : <ExternalLink href={href} text={node === undefined ? "" : textOf(node)}>{children}</ExternalLink>
}

/** An image in an answer. Shows a chart of the account, but only a link to an image on another site. */
const MarkdownImage = ({ alt = "", src }: { readonly alt?: string | undefined; readonly src?: unknown }) => {
  const texts = useTexts(analystTexts)
  const chart = findChart(typeof src === "string" ? src : undefined, use(Charts))
  if (chart !== undefined) return <ChartImage alt={alt === "" ? texts.chart : alt} chart={chart} />
  const description = texts.imageElsewhere(alt)
  return typeof src !== "string" || src === ""
    ? <span>{description}</span>
    : <ExternalLink href={src} text={description}>{description}</ExternalLink>
}

const urlsIn = ({ children = [], properties = {} }: TextNode): ReadonlyArray<unknown> => [
  properties.href,
  properties.src,
  ...children.flatMap(urlsIn)
]

/**
 * A paragraph of an answer: a `div` if the paragraph contains a chart, because HTML forbids a chart's elements inside
 * `p`.
 */
const Paragraph = ({ children, node }: { readonly node?: TextNode | undefined; readonly children?: ReactNode }) => {
  const charts = use(Charts)
  const addresses = node === undefined ? [] : urlsIn(node)
  const hasChart = addresses.some((one) => typeof one === "string" && findChart(one, charts) !== undefined)
  return hasChart ? <div className="column gap-3">{children}</div> : <p>{children}</p>
}

const CodeBlock = ({ node }: { readonly node?: TextNode | undefined }) => {
  const texts = useTexts(analystTexts)
  return <Code label={texts.code} text={node === undefined ? "" : textOf(node).replace(/\n$/, "")} />
}

const TaskCheckbox = ({ isChecked }: { readonly isChecked: boolean }) => {
  const texts = useTexts(analystTexts)
  const Icon = isChecked ? SquareCheck : Square
  return <Icon className={styles["box"]} role="img" aria-label={isChecked ? texts.ticked : texts.unticked} />
}

const MarkdownTable = ({ children }: { readonly children?: ReactNode }) => {
  const texts = useTexts(analystTexts)
  return (
    <HorizontalScroll className={styles["frame"]} label={texts.table}>
      <table>{children}</table>
    </HorizontalScroll>
  )
}

/**
 * The React components for the Markdown elements of an answer. The headings of an answer rank below the headings of the
 * page.
 */
const components: Components = {
  data: ({ children, value }) => <MarkedNumber value={value}>{children}</MarkedNumber>,
  a: ({ children, href, node }) => <MarkdownLink href={href} node={node}>{children}</MarkdownLink>,
  img: ({ alt, src }) => <MarkdownImage alt={alt} src={src} />,
  input: ({ checked }) => <TaskCheckbox isChecked={checked === true} />,
  p: ({ children, node }) => <Paragraph node={node}>{children}</Paragraph>,
  pre: ({ node }) => <CodeBlock node={node} />,
  table: ({ children }) => <MarkdownTable>{children}</MarkdownTable>,
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h5>{children}</h5>,
  h5: ({ children }) => <h6>{children}</h6>,
  h6: ({ children }) => <h6>{children}</h6>
}

const plugins = [remarkGfm]

const MarkdownBlock = memo(({ marks, text }: { readonly text: string; readonly marks: ReadonlyArray<FigureMark> }) => (
  <Marks value={marks}>
    <ReactMarkdown
      remarkPlugins={plugins}
      rehypePlugins={marks.length === 0 ? [] : [[markFigures, { marks, source: text }]]}
      urlTransform={safeExternalUrl}
      components={components}
    >
      {text}
    </ReactMarkdown>
  </Marks>
))
MarkdownBlock.displayName = "MarkdownBlock"

const noMarks: ReadonlyArray<FigureMark> = []

/** Splits a text and its marks into blocks. The offsets of a block's marks refer to the block. */
const splitMarkedBlocks = (text: string, marks: ReadonlyArray<FigureMark>) => {
  let next = 0
  return splitBlocks(text).map((block) => {
    const start = next
    next += block.length + 1
    const own = marks.filter(({ offset }) => offset >= start && offset < next)
    return {
      text: block,
      marks: own.length === 0 ? noMarks : own.map((mark) => ({ ...mark, offset: mark.offset - start }))
    }
  })
}

/**
 * The formatted text of an answer, in which HTML appears as plain text and links open only other sites. `marks` are the
 * checked numbers of a complete answer.
 */
export const Markdown = memo(({ charts, marks = noMarks, text }: {
  readonly text: string
  readonly charts: ReadonlyArray<string>
  readonly marks?: ReadonlyArray<FigureMark>
}) => {
  // The text is split, because only the last block of a growing answer changes and must be parsed again.
  const blocks = useMemo(() => splitMarkedBlocks(text, marks), [text, marks])
  return (
    <Charts value={charts}>
      <div className={styles["text"]}>
        {blocks.map((block, i) => <MarkdownBlock key={i} text={block.text} marks={block.marks} />)}
      </div>
    </Charts>
  )
})
Markdown.displayName = "Markdown"

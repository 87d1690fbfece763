import { ArrowUpRight, Square, SquareCheck } from "lucide-react"
import { createContext, memo, type ReactNode, use } from "react"
import ReactMarkdown, { type Components } from "react-markdown"
import remarkGfm from "remark-gfm"
import { ChartImage } from "../../widgets/ChartImage.tsx"
import { Code } from "../../widgets/Code.tsx"
import { Sideways } from "../../widgets/Sideways.tsx"
import { useWords } from "../../words/words.ts"
import { blocksOf } from "./blocks.ts"
import { chartAt, isOwn, isPlain, outwards } from "./links.ts"
import styles from "./Markdown.module.css"
import { analystWords } from "./words.ts"

interface TextNode {
  readonly type: string
  readonly value?: string
  readonly properties?: { readonly href?: unknown; readonly src?: unknown }
  readonly children?: ReadonlyArray<TextNode>
}

const textOf = (node: TextNode): string => node.value ?? (node.children ?? []).map(textOf).join("")

/** The charts of the displayed answer. */
const Charts = createContext<ReadonlyArray<string>>([])

/**
 * A link to another site. If its text is not the address, the host is shown after the text. `bdi` isolates the text, so
 * that it cannot change the direction of the text around it.
 */
const Outwards = ({ children, href, text }: {
  readonly href: string
  /** The plain text of the link. */
  readonly text: string
  readonly children: ReactNode
}) => {
  const says = useWords(analystWords)
  const { host } = new URL(href)
  if (isOwn(href, location.origin)) return <bdi>{children}</bdi>
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
      {isPlain(text, href) ? "" : <bdi className={styles["host"]}>{` (${host})`}</bdi>}
      <ArrowUpRight aria-hidden />
      <span className={styles["unseen"]}>{says.otherSite}</span>
    </a>
  )
}

const Anchor = ({ children, href = "", node }: {
  readonly href?: string | undefined
  readonly node?: TextNode | undefined
  readonly children?: ReactNode
}) => {
  const chart = chartAt(href, use(Charts))
  const says = useWords(analystWords)
  if (chart !== undefined) return <ChartImage alt={says.chart} chart={chart} />
  return href === ""
    ? <span>{children}</span>
    : <Outwards href={href} text={node === undefined ? "" : textOf(node)}>{children}</Outwards>
}

/** An image. Nothing is loaded from other sites: their images are shown as links. */
const Picture = ({ alt = "", src }: { readonly alt?: string | undefined; readonly src?: unknown }) => {
  const says = useWords(analystWords)
  const chart = chartAt(typeof src === "string" ? src : undefined, use(Charts))
  if (chart !== undefined) return <ChartImage alt={alt === "" ? says.chart : alt} chart={chart} />
  const told = says.imageElsewhere(alt)
  return typeof src !== "string" || src === ""
    ? <span>{told}</span>
    : <Outwards href={src} text={told}>{told}</Outwards>
}

const addressesIn = ({ children = [], properties = {} }: TextNode): ReadonlyArray<unknown> => [
  properties.href,
  properties.src,
  ...children.flatMap(addressesIn)
]

/** A paragraph. A chart cannot be inside a `p` element. */
const Paragraph = ({ children, node }: { readonly node?: TextNode | undefined; readonly children?: ReactNode }) => {
  const charts = use(Charts)
  const addresses = node === undefined ? [] : addressesIn(node)
  const isDrawn = addresses.some((one) => typeof one === "string" && chartAt(one, charts) !== undefined)
  return isDrawn ? <div className={styles["drawn"]}>{children}</div> : <p>{children}</p>
}

const Block = ({ node }: { readonly node?: TextNode | undefined }) => {
  const says = useWords(analystWords)
  return <Code label={says.code} text={node === undefined ? "" : textOf(node).replace(/\n$/, "")} />
}

/** The read-only checkbox of a task list. */
const Box = ({ isTicked }: { readonly isTicked: boolean }) => {
  const says = useWords(analystWords)
  const Icon = isTicked ? SquareCheck : Square
  return <Icon className={styles["box"]} role="img" aria-label={isTicked ? says.ticked : says.unticked} />
}

const Table = ({ children }: { readonly children?: ReactNode }) => {
  const says = useWords(analystWords)
  return (
    <Sideways className={styles["frame"]} label={says.table}>
      <table>{children}</table>
    </Sideways>
  )
}

/** The elements of an answer. Its headings are below those of the page and the message. */
const components: Components = {
  a: ({ children, href, node }) => <Anchor href={href} node={node}>{children}</Anchor>,
  img: ({ alt, src }) => <Picture alt={alt} src={src} />,
  input: ({ checked }) => <Box isTicked={checked === true} />,
  p: ({ children, node }) => <Paragraph node={node}>{children}</Paragraph>,
  pre: ({ node }) => <Block node={node} />,
  table: ({ children }) => <Table>{children}</Table>,
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h5>{children}</h5>,
  h5: ({ children }) => <h6>{children}</h6>,
  h6: ({ children }) => <h6>{children}</h6>
}

const plugins = [remarkGfm]

const Part = memo(({ text }: { readonly text: string }) => (
  <ReactMarkdown remarkPlugins={plugins} urlTransform={outwards} components={components}>{text}</ReactMarkdown>
))
Part.displayName = "Part"

/** The text of an answer. HTML in it is shown as text, and its links lead to other sites or nowhere. */
export const Markdown = memo(({ charts, text }: { readonly text: string; readonly charts: ReadonlyArray<string> }) => (
  <Charts value={charts}>
    <div className={styles["text"]}>
      {/* While the answer is written, only its last block changes. */}
      {blocksOf(text).map((block, i) => <Part key={i} text={block} />)}
    </div>
  </Charts>
))
Markdown.displayName = "Markdown"

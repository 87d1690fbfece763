import { ArrowLeft } from "lucide-react"
import type { ReactNode } from "react"
import { Link as Followed } from "react-aria-components"
import styles from "./layout.module.css"

/** A link to a console path such as `/tools`, without a reload, or to an absolute URL. */
export const Link = ({ children, href, variant = "text" }: {
  readonly href: string
  readonly children: ReactNode
  /** A `block` link fills the size of its content and does not look like a link. */
  readonly variant?: "text" | "block"
}) => <Followed href={href} className={styles[variant]!}>{children}</Followed>

/** A link from a detail page back to its list page. */
export const BackLink = ({ children, href }: { readonly href: string; readonly children: string }) => (
  <div className={styles["back"]}>
    <Link href={href} variant="block">
      <ArrowLeft aria-hidden size={14} />
      {children}
    </Link>
  </div>
)

export const PageHeader = ({ aside, children, title }: {
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly aside?: ReactNode
}) => (
  <header className="row bottom wrap spread gap-3 gap-x-5">
    <div className="column gap-1">
      <h1>{title}</h1>
      {children !== undefined && <div className={styles["lead"]}>{children}</div>}
    </div>
    {aside !== undefined && <div className="row wrap gap-2">{aside}</div>}
  </header>
)

export const Panel = ({ aside, children, isFlush = false, title }: {
  readonly children: ReactNode
  readonly title?: ReactNode
  readonly aside?: ReactNode
  /** Whether the content of a panel has no padding, for example around a table. */
  readonly isFlush?: boolean
}) => (
  <section className={styles["panel"]}>
    {title !== undefined && (
      <div className={styles["panelHead"]}>
        <h2>{title}</h2>
        {aside}
      </div>
    )}
    <div className={isFlush ? styles["flush"] : styles["body"]}>{children}</div>
  </section>
)

export const Badge = ({ children, variant = "plain" }: {
  readonly children: ReactNode
  readonly variant?: "plain" | "tape" | "good" | "bad"
}) => <span className={`${styles["badge"]} ${styles[`is-${variant}`]}`}>{children}</span>

export const Figure = ({ children, detail, name }: {
  readonly name: ReactNode
  readonly children: ReactNode
  readonly detail?: ReactNode
}) => (
  <div className={styles["figure"]}>
    <dt>{name}</dt>
    <dd>
      <span className={styles["value"]}>{children}</span>
      {detail !== undefined && <span className="soft small">{detail}</span>}
    </dd>
  </div>
)

export const Figures = ({ children }: { readonly children: ReactNode }) => (
  <dl className={styles["figures"]}>{children}</dl>
)

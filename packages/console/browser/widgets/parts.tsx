import type { ReactNode } from "react"
import { Link as Followed } from "react-aria-components"
import styles from "./parts.module.css"

/** Leads to a path of the console, `/tools`, without loading the page anew; or out of it, by a whole address. */
export const Link = ({ children, href, look = "text" }: {
  readonly href: string
  readonly children: ReactNode
  /** `block` is as large as what stands in it, and looks like that alone. */
  readonly look?: "text" | "block"
}) => <Followed href={href} className={styles[look]!}>{children}</Followed>

/** A page's title, what stands beside it, and a line under it. */
export const PageHead = ({ aside, children, title }: {
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly aside?: ReactNode
}) => (
  <header className={styles["pageHead"]}>
    <div className={styles["pageTitle"]}>
      <h1>{title}</h1>
      {children !== undefined && <div className={styles["lead"]}>{children}</div>}
    </div>
    {aside !== undefined && <div className={styles["aside"]}>{aside}</div>}
  </header>
)

/** A part of a page with a frame of its own. */
export const Panel = ({ aside, children, isFlush = false, title }: {
  readonly children: ReactNode
  readonly title?: ReactNode
  readonly aside?: ReactNode
  /** What stands in it goes as far as its frame: a table. */
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

/** A word or two about something. */
export const Badge = ({ children, look = "plain" }: {
  readonly children: ReactNode
  readonly look?: "plain" | "tape" | "good" | "bad"
}) => <span className={`${styles["badge"]} ${styles[`is-${look}`]}`}>{children}</span>

/** A number that is looked at, with its name. */
export const Figure = ({ children, more, name }: {
  readonly name: ReactNode
  readonly children: ReactNode
  readonly more?: ReactNode
}) => (
  <div className={styles["figure"]}>
    <dt>{name}</dt>
    <dd>
      <span className={styles["value"]}>{children}</span>
      {more !== undefined && <span className={styles["under"]}>{more}</span>}
    </dd>
  </div>
)

/** Figures side by side. */
export const Figures = ({ children }: { readonly children: ReactNode }) => (
  <dl className={styles["figures"]}>{children}</dl>
)

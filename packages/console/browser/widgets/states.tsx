import {
  CircleSlash,
  CloudOff,
  Hourglass,
  LogOut,
  type LucideIcon,
  SearchX,
  ShieldX,
  TriangleAlert,
  Wallet
} from "lucide-react"
import type { ReactNode } from "react"
import type { Trouble } from "../asking/trouble.ts"
import { useWords } from "../words/words.ts"
import { Button } from "./Button.tsx"
import styles from "./states.module.css"
import { widgetWords } from "./words.ts"

/** A placeholder for missing content: the reason, and a remedy. */
export const Empty = ({ action, children, icon: Icon = CircleSlash, isPage = false, title }: {
  readonly title: string
  /** True if the placeholder replaces the whole page. Its title is then that of the page. */
  readonly isPage?: boolean
  readonly children?: ReactNode
  readonly icon?: LucideIcon
  readonly action?: ReactNode
}) => (
  <div className={styles["state"]}>
    <Icon aria-hidden className={styles["icon"]} />
    {isPage ? <h1 className={styles["title"]}>{title}</h1> : <p className={styles["title"]}>{title}</p>}
    {children !== undefined && <div className={styles["more"]}>{children}</div>}
    {action}
  </div>
)

const icons: Readonly<Record<Trouble["kind"], LucideIcon>> = {
  offline: CloudOff,
  unreachable: CloudOff,
  "signed out": LogOut,
  "other account": LogOut,
  "out of credits": Wallet,
  "too fast": Hourglass,
  away: Hourglass,
  "not there": SearchX,
  refused: ShieldX,
  failed: TriangleAlert
}

const useTold = ({ kind, says: told }: Trouble): { readonly title: string; readonly more: string | undefined } => {
  const says = useWords(widgetWords)
  const titles: Readonly<Record<Trouble["kind"], string>> = {
    offline: says.offline,
    unreachable: says.unreachable,
    "signed out": says.signedOut,
    "other account": says.otherAccount,
    "out of credits": says.outOfCredits,
    "too fast": says.tooFast,
    away: says.away,
    "not there": says.notThere,
    refused: says.refused,
    failed: says.failed
  }
  const more = kind === "offline"
    ? says.offlineMore
    : kind === "unreachable"
    ? says.unreachableMore
    : kind === "signed out"
    ? says.signedOutMore
    : told
  return { title: titles[kind], more }
}

/** An error in place of the content. `way` is a remedy of the page. */
export const TroubleState = ({ again, isPage = false, trouble, way }: {
  readonly trouble: Trouble
  readonly isPage?: boolean
  readonly again?: (() => void) | undefined
  readonly way?: ReactNode
}) => {
  const says = useWords(widgetWords)
  const { more, title } = useTold(trouble)
  return (
    <div role="alert">
      <Empty
        icon={icons[trouble.kind]}
        title={title}
        isPage={isPage}
        action={
          <div className={styles["ways"]}>
            {trouble.again && again !== undefined && <Button onPress={again}>{says.again}</Button>}
            {way}
          </div>
        }
      >
        {more}
        {trouble.request !== undefined && trouble.kind === "failed" && (
          <span className={styles["request"]}>{says.request(trouble.request)}</span>
        )}
      </Empty>
    </div>
  )
}

/** An error in one or two lines, next to the content that it concerns. */
export const TroubleNote = ({ again, trouble }: {
  readonly trouble: Trouble
  readonly again?: (() => void) | undefined
}) => {
  const says = useWords(widgetWords)
  const { more, title } = useTold(trouble)
  const Icon = icons[trouble.kind]
  return (
    <div role="alert" className={styles["note"]}>
      <Icon aria-hidden />
      <div>
        <strong>{title}</strong>
        {more !== undefined && <p>{more}</p>}
      </div>
      {trouble.again && again !== undefined && <Button onPress={again}>{says.again}</Button>}
    </div>
  )
}

/** The placeholder of lines of text, or of a table, while they load. */
export const Skeleton = ({ lines = 3 }: { readonly lines?: number }) => {
  const says = useWords(widgetWords)
  return (
    <div className={styles["skeleton"]} role="status" aria-label={says.loading}>
      {Array.from({ length: lines }, (_, i) => <span key={i} className={styles["bone"]} />)}
    </div>
  )
}

import {
  CircleSlash,
  CloudOff,
  Hourglass,
  Lock,
  LogIn,
  LogOut,
  type LucideIcon,
  SearchX,
  ShieldX,
  TriangleAlert,
  Wallet
} from "lucide-react"
import type { ReactNode } from "react"
import { useTexts } from "../i18n/texts.ts"
import type { Problem } from "../requests/problem.ts"
import { Button } from "./Button.tsx"
import styles from "./states.module.css"
import { widgetTexts } from "./texts.ts"

/** A placeholder that explains why content is missing, and offers a remedy. */
export const EmptyState = ({ action, children, icon: Icon = CircleSlash, isPage = false, title }: {
  readonly title: string
  /** If true, the placeholder replaces the whole page, and the title of the placeholder is the heading of the page. */
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

const problemIcons: Readonly<Record<Problem["kind"], LucideIcon>> = {
  offline: CloudOff,
  unreachable: CloudOff,
  "signed out": LogOut,
  "other account": LogOut,
  "sign in again": LogIn,
  "scope missing": Lock,
  "out of credits": Wallet,
  "too fast": Hourglass,
  away: Hourglass,
  "not there": SearchX,
  refused: ShieldX,
  failed: TriangleAlert
}

const useProblemText = (
  { kind, message: serviceMessage }: Problem
): { readonly title: string; readonly detail: string | undefined } => {
  const texts = useTexts(widgetTexts)
  const titles: Readonly<Record<Problem["kind"], string>> = {
    offline: texts.offline,
    unreachable: texts.unreachable,
    "signed out": texts.signedOut,
    "other account": texts.otherAccount,
    "sign in again": texts.signInAgain,
    "scope missing": texts.scopeMissing,
    "out of credits": texts.outOfCredits,
    "too fast": texts.tooFast,
    away: texts.unavailable,
    "not there": texts.notThere,
    refused: texts.rejected,
    failed: texts.failed
  }
  const detail = kind === "offline"
    ? texts.offlineDetail
    : kind === "unreachable"
    ? texts.unreachableDetail
    : kind === "signed out"
    ? texts.signedOutDetail
    : serviceMessage
  return { title: titles[kind], detail }
}

/** An error message in place of the content, with an optional action as `remedy`. */
export const ProblemState = ({ onRetry, isPage = false, problem, remedy }: {
  readonly problem: Problem
  readonly isPage?: boolean
  readonly onRetry?: (() => void) | undefined
  readonly remedy?: ReactNode
}) => {
  const texts = useTexts(widgetTexts)
  const { detail, title } = useProblemText(problem)
  return (
    <div role="alert">
      <EmptyState
        icon={problemIcons[problem.kind]}
        title={title}
        isPage={isPage}
        action={
          <div className={styles["ways"]}>
            {problem.isRetryable && onRetry !== undefined && <Button onPress={onRetry}>{texts.retry}</Button>}
            {remedy}
          </div>
        }
      >
        {detail}
        {problem.requestId !== undefined && problem.kind === "failed" && (
          <span className={styles["request"]}>{texts.request(problem.requestId)}</span>
        )}
      </EmptyState>
    </div>
  )
}

/** An error message in one or two lines, next to the affected content. */
export const ProblemNote = ({ onRetry, problem }: {
  readonly problem: Problem
  readonly onRetry?: (() => void) | undefined
}) => {
  const texts = useTexts(widgetTexts)
  const { detail, title } = useProblemText(problem)
  const Icon = problemIcons[problem.kind]
  return (
    <div role="alert" className={styles["note"]}>
      <Icon aria-hidden />
      <div>
        <strong>{title}</strong>
        {detail !== undefined && <p>{detail}</p>}
      </div>
      {problem.isRetryable && onRetry !== undefined && <Button onPress={onRetry}>{texts.retry}</Button>}
    </div>
  )
}

export const Skeleton = ({ lines = 3 }: { readonly lines?: number }) => {
  const texts = useTexts(widgetTexts)
  return (
    <div className={styles["skeleton"]} role="status" aria-label={texts.loading}>
      {Array.from({ length: lines }, (_, i) => <span key={i} className={styles["bone"]} />)}
    </div>
  )
}

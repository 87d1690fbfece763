import type { LucideIcon } from "lucide-react"
import type { ReactNode } from "react"
import styles from "./states.module.css"

export const Callout = ({ children, icon: Icon, variant = "bad", title }: {
  readonly title: string
  readonly children?: ReactNode
  readonly icon?: LucideIcon
  /** `bad` is the style of error messages, and `tape` is the style of all other messages. */
  readonly variant?: "bad" | "tape"
}) => (
  <div className={`${styles["note"]} ${variant === "tape" ? styles["tape"] : ""}`} role="status">
    {Icon !== undefined && <Icon aria-hidden />}
    <div>
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  </div>
)

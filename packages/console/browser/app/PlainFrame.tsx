import type { ReactNode } from "react"
import { Logo } from "./Logo.tsx"
import styles from "./PlainFrame.module.css"
import { Settings } from "./Settings.tsx"

/** The page frame, without navigation, for visitors who are not signed in. */
export const PlainFrame = ({ children }: { readonly children?: ReactNode }) => (
  <div className={styles["bare"]}>
    <header className={styles["head"]}>
      <Logo />
      <Settings />
    </header>
    <main className={styles["main"]} id="page">{children}</main>
  </div>
)

import type { ReactNode } from "react"
import { Logo } from "./Logo.tsx"
import styles from "./PlainFrame.module.css"
import { Settings } from "./Settings.tsx"

/**
 * The page frame for visitors who are not signed in. The frame has no navigation, because the other pages need a
 * sign-in.
 */
export const PlainFrame = ({ children }: { readonly children?: ReactNode }) => (
  <div className={styles["bare"]}>
    <header className={styles["head"]}>
      <Logo />
      <Settings />
    </header>
    <main className={styles["main"]} id="page">{children}</main>
  </div>
)

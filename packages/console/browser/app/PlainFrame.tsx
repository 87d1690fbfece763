import type { ReactNode } from "react"
import { Logo } from "./Logo.tsx"
import styles from "./PlainFrame.module.css"
import { Settings } from "./Settings.tsx"

/** The frame of pages without a sign-in. It has no navigation, because those pages could show nothing. */
export const PlainFrame = ({ children }: { readonly children?: ReactNode }) => (
  <div className={styles["bare"]}>
    <header className={styles["head"]}>
      <Logo />
      <Settings />
    </header>
    <main className={styles["main"]} id="page">{children}</main>
  </div>
)

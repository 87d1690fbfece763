import type { ReactNode } from "react"
import styles from "./Bare.module.css"
import { Mark } from "./Mark.tsx"
import { Settings } from "./Settings.tsx"

/** The frame of pages without a sign-in. It has no navigation, because those pages could show nothing. */
export const Bare = ({ children }: { readonly children?: ReactNode }) => (
  <div className={styles["bare"]}>
    <header className={styles["head"]}>
      <Mark />
      <Settings />
    </header>
    <main className={styles["main"]} id="page">{children}</main>
  </div>
)

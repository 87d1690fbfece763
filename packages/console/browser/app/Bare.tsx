import type { ReactNode } from "react"
import styles from "./Bare.module.css"
import { Mark } from "./Mark.tsx"
import { Settings } from "./Settings.tsx"

/** What surrounds the pages of who is not signed in: no navigation, since nothing could be shown there. */
export const Bare = ({ children }: { readonly children?: ReactNode }) => (
  <div className={styles["bare"]}>
    <header className={styles["head"]}>
      <Mark />
      <Settings />
    </header>
    <main className={styles["main"]} id="page">{children}</main>
  </div>
)

import styles from "./Logo.module.css"

export const Logo = () => (
  <span className={styles["mark"]}>
    <svg viewBox="0 0 28 18" aria-hidden>
      <path d="M1 10.5h5l3-8 4.2 13L17.5 1l3 9.5H27" />
    </svg>
    Tapeline
  </span>
)

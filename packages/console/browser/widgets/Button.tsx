import { Button as Pressed, type ButtonProps as PressedProps } from "react-aria-components"
import styles from "./Button.module.css"

export interface ButtonProps extends Omit<PressedProps, "className" | "style" | "isPending"> {
  /** `primary` marks the main action of a page. */
  readonly variant?: "primary" | "plain" | "quiet" | "danger" | undefined
  /** If true, the button's action is running. A busy button keeps the focus and ignores presses. */
  readonly isBusy?: boolean | undefined
  /** Whether the button is square with only an icon, which requires an `aria-label`. */
  readonly isSquare?: boolean | undefined
}

// The button does not use React Aria's `isPending`, because React Aria removes its announcement before a screen reader
// can read the announcement.
export const Button = (
  { isBusy = false, isSquare = false, variant = "plain", onPress, type, ...rest }: ButtonProps
) => (
  <Pressed
    {...rest}
    type={isBusy ? "button" : type ?? "button"}
    {...(isBusy || onPress === undefined ? {} : { onPress })}
    {...(isBusy ? { "data-busy": true } : {})}
    className={`${styles["button"]} ${styles[variant]} ${isSquare ? styles["square"] : ""}`}
  />
)

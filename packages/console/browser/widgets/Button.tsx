import { Button as Pressed, type ButtonProps as PressedProps } from "react-aria-components"
import styles from "./Button.module.css"

export interface ButtonProps extends Omit<PressedProps, "className" | "style" | "isPending"> {
  /** `primary` is the next action of the page, at most one per page. */
  readonly variant?: "primary" | "plain" | "quiet" | "danger" | undefined
  /** True while the button's action runs. The button then keeps the focus and does nothing. */
  readonly isBusy?: boolean | undefined
  /** True for a square button with only an icon. It needs an `aria-label`. */
  readonly isSquare?: boolean | undefined
}

// (The library's own pending state announces itself with an element that is removed before it is read.)
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

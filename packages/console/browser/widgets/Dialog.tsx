import { X } from "lucide-react"
import type { ReactNode } from "react"
import { Button as Closing, Dialog as Box, Heading, Modal, ModalOverlay } from "react-aria-components"
import { useWords } from "../words/words.ts"
import styles from "./Dialog.module.css"
import { widgetWords } from "./words.ts"

/**
 * Stands before the page until it is closed, by its cross, by Escape, or by a press beside it. On a phone it comes up
 * from below.
 */
export const Dialog = ({ children, isOpen, isKept = false, onClose, title }: {
  readonly title: string
  readonly isOpen: boolean
  /** What it shows is shown once: only what stands in it closes it, and no cross, Escape or press beside it. */
  readonly isKept?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}) => {
  const says = useWords(widgetWords)
  return (
    <ModalOverlay
      className={styles["overlay"]!}
      isOpen={isOpen}
      isDismissable={!isKept}
      isKeyboardDismissDisabled={isKept}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Modal className={styles["modal"]!}>
        <Box className={styles["box"]!}>
          <div className={styles["head"]}>
            <Heading slot="title" level={2}>{title}</Heading>
            {!isKept && (
              <Closing slot="close" className={styles["close"]!} aria-label={says.close}>
                <X aria-hidden />
              </Closing>
            )}
          </div>
          {children}
        </Box>
      </Modal>
    </ModalOverlay>
  )
}

/** The buttons at a dialog's foot. */
export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles["actions"]}>{children}</div>
)

import { X } from "lucide-react"
import type { ReactNode } from "react"
import { Button as Closing, Dialog as Box, Heading, Modal, ModalOverlay } from "react-aria-components"
import { useTexts } from "../i18n/texts.ts"
import styles from "./Dialog.module.css"
import { widgetTexts } from "./texts.ts"

/** A modal dialog, which the close button, Escape, or a press outside closes. */
export const Dialog = ({ children, isOpen, isPersistent = false, onClose, title }: {
  readonly title: string
  readonly isOpen: boolean
  /**
   * If true, only a control inside the dialog's content can close the dialog, because the content is shown only once.
   */
  readonly isPersistent?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}) => {
  const texts = useTexts(widgetTexts)
  return (
    <ModalOverlay
      className={styles["overlay"]!}
      isOpen={isOpen}
      isDismissable={!isPersistent}
      isKeyboardDismissDisabled={isPersistent}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Modal className={styles["modal"]!}>
        <Box className={styles["box"]!}>
          <div className="row spread gap-3">
            <Heading slot="title" level={2}>{title}</Heading>
            {!isPersistent && (
              <Closing slot="close" className={`icon-button ${styles["close"]}`} aria-label={texts.close}>
                <X aria-hidden size={16} />
              </Closing>
            )}
          </div>
          {children}
        </Box>
      </Modal>
    </ModalOverlay>
  )
}

export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles["actions"]}>{children}</div>
)

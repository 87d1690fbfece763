import type { Language } from "@tapeline/core/specifications"
import { ArrowUp, GraduationCap, Languages, Paperclip, Square, X } from "lucide-react"
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useState } from "react"
import { Button as Pressed, FileTrigger, TextArea, TextField } from "react-aria-components"
import { languageNames, languages } from "../../i18n/language.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { Menu, MenuChoice } from "../../widgets/menus.tsx"
import type { Question } from "./AnswerStreams.ts"
import styles from "./Composer.module.css"
import { type AttachedImage, findImageFault, type ImageFault, imageLimits, imageTypes, readImage } from "./images.ts"
import { analystTexts } from "./texts.ts"

export type Draft = Question

export const noDraft: Draft = { text: "", images: [], lang: undefined, mode: "analyst" }

/** The maximum length of a question that the service accepts. */
const maxQuestionLength = 32_000

const useFaultTexts = (): Readonly<Record<ImageFault, string>> => {
  const texts = useTexts(analystTexts)
  return {
    type: texts.imageType,
    bytes: texts.imageBytes(imageLimits.bytes / 1024 / 1024),
    "all bytes": texts.imageAllBytes(imageLimits.allBytes / 1024 / 1024),
    count: texts.imageCount(imageLimits.count),
    pixels: texts.imagePixels(imageLimits.pixels / 1_000_000),
    unreadable: texts.imageUnreadable
  }
}

const useImages = (draft: Draft, change: (change: (draft: Draft) => Draft) => void) => {
  const faults = useFaultTexts()
  const [fault, setFault] = useState<string>()
  const add = async (files: ReadonlyArray<File>) => {
    setFault(undefined)
    const accepted: Array<AttachedImage> = []
    for (const file of files) {
      const earlyFault = findImageFault(file, [...draft.images, ...accepted])
      const one = earlyFault ?? await readImage(file)
      if (typeof one === "string") setFault(`${file.name}: ${faults[one]}`)
      else accepted.push(one)
    }
    change((before) => ({ ...before, images: [...before.images, ...accepted].slice(0, imageLimits.count) }))
  }
  const remove = (id: string) => {
    setFault(undefined)
    change((before) => ({ ...before, images: before.images.filter((one) => one.id !== id) }))
  }
  return { add, remove, fault }
}

const Thumbnails = ({ images, onRemove }: Pick<Draft, "images"> & { readonly onRemove: (id: string) => void }) => {
  const texts = useTexts(analystTexts)
  return (
    <ul className={styles["thumbs"]}>
      {images.map(({ dataUrl, id, name }) => (
        <li key={id} className={styles["thumb"]}>
          <img src={dataUrl} alt={name} />
          <Pressed
            className={`icon-button ${styles["remove"]}`}
            aria-label={texts.imageRemove(name)}
            onPress={() => onRemove(id)}
          >
            <X aria-hidden size={12} />
          </Pressed>
        </li>
      ))}
    </ul>
  )
}

type LanguageChoice = Language | "question"

const ComposerOptions = ({ change, draft, isNew }: {
  readonly draft: Draft
  readonly isNew: boolean
  readonly change: (change: (draft: Draft) => Draft) => void
}) => {
  const texts = useTexts(analystTexts)
  const selected: LanguageChoice = draft.lang ?? "question"
  const languageOptions: ReadonlyArray<{ readonly value: LanguageChoice; readonly label: string }> = [
    { value: "question", label: texts.languageOfQuestion },
    ...languages.map((value) => ({ value, label: languageNames[value] }))
  ]
  const language = draft.lang === undefined ? texts.languageShort : languageNames[draft.lang]
  const mode = draft.mode === "mentor" ? texts.modeMentorShort : texts.modeAnalystShort
  const modes = [{ value: "analyst", label: texts.modeAnalyst }, { value: "mentor", label: texts.modeMentor }] as const
  return (
    <>
      <Menu
        label={texts.language}
        button={
          <Button variant="quiet" aria-label={`${texts.language}: ${language}`}>
            <Languages aria-hidden />
            <span className="wide-only">{language}</span>
          </Button>
        }
      >
        <MenuChoice
          title={texts.language}
          selected={selected}
          options={languageOptions}
          onChange={(value) => change((before) => ({ ...before, lang: value === "question" ? undefined : value }))}
        />
      </Menu>
      {isNew && (
        <Menu
          label={texts.mode}
          button={
            <Button variant="quiet" aria-label={`${texts.mode}: ${mode}`}>
              <GraduationCap aria-hidden />
              <span className="wide-only">{mode}</span>
            </Button>
          }
        >
          <MenuChoice
            title={texts.mode}
            selected={draft.mode}
            options={modes}
            onChange={(mode) => change((before) => ({ ...before, mode }))}
          />
        </Menu>
      )}
    </>
  )
}

const imagesIn = ({ clipboardData }: ClipboardEvent): ReadonlyArray<File> =>
  [...clipboardData.files].filter(({ type }) => type.startsWith("image/"))

const StopButton = ({ onStop }: { readonly onStop: (() => void) | undefined }) => {
  const texts = useTexts(analystTexts)
  return (
    <Button onPress={() => onStop?.()} isDisabled={onStop === undefined}>
      <Square aria-hidden />
      {texts.stop}
    </Button>
  )
}

/** The input field for a question: Enter sends the question, and Shift+Enter adds a line. */
export const Composer = ({ change, draft, fieldRef, hint, isNew, isRunning, onSend, onStop }: {
  readonly draft: Draft
  readonly change: (change: (draft: Draft) => Draft) => void
  readonly isNew: boolean
  readonly isRunning: boolean
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>
  readonly hint: string | undefined
  readonly onSend: () => void
  readonly onStop: (() => void) | undefined
}) => {
  const texts = useTexts(analystTexts)
  const { integer } = useNumbers()
  const { add, fault, remove } = useImages(draft, change)
  const isTooLong = draft.text.length > maxQuestionLength
  const isReady = draft.text.trim() !== "" && !isTooLong && !isRunning
  const onKeyDown = (event: KeyboardEvent) => {
    // While an input method is composing a syllable, Enter completes the syllable and must not send the question.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (isReady) onSend()
  }
  const onPaste = (event: ClipboardEvent) => {
    const images = imagesIn(event)
    if (images.length === 0) return
    event.preventDefault()
    void add(images)
  }
  return (
    <div className={styles["composer"]}>
      {draft.images.length > 0 && <Thumbnails images={draft.images} onRemove={remove} />}
      {fault !== undefined && <p className={styles["fault"]} role="alert">{fault}</p>}
      {isTooLong && (
        <p className={styles["fault"]} role="alert">
          {texts.tooLong(integer(draft.text.length), integer(maxQuestionLength))}
        </p>
      )}
      <TextField
        aria-label={texts.question}
        value={draft.text}
        isInvalid={isTooLong}
        onChange={(text) => change((before) => ({ ...before, text }))}
      >
        <TextArea
          ref={fieldRef}
          className={styles["field"]!}
          rows={2}
          placeholder={texts.placeholder}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
      </TextField>
      <div className="row gap-1">
        <FileTrigger
          acceptedFileTypes={imageTypes}
          allowsMultiple
          onSelect={(files) => void add(files === null ? [] : [...files])}
        >
          <Button variant="quiet" isSquare aria-label={texts.attach}>
            <Paperclip aria-hidden />
          </Button>
        </FileTrigger>
        <ComposerOptions draft={draft} change={change} isNew={isNew} />
        <span className={styles["hint"]}>{hint}</span>
        {isRunning ? <StopButton onStop={onStop} /> : (
          <Button variant="primary" onPress={onSend} isDisabled={!isReady}>
            <ArrowUp aria-hidden />
            {texts.send}
          </Button>
        )}
      </div>
    </div>
  )
}

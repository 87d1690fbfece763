import type { Language } from "@tapeline/core/specifications"
import { ArrowUp, GraduationCap, Languages, Paperclip, Square, X } from "lucide-react"
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useState } from "react"
import { Button as Pressed, FileTrigger, TextArea, TextField } from "react-aria-components"
import { Button } from "../../widgets/Button.tsx"
import { Menu, MenuChoice } from "../../widgets/menus.tsx"
import { languageNames, languages } from "../../words/language.ts"
import { useWords } from "../../words/words.ts"
import styles from "./Composer.module.css"
import type { Question } from "./Desk.ts"
import { attach, type Attached, imageBounds, type ImageFault, imageFault, imageTypes } from "./images.ts"
import { analystWords } from "./words.ts"

/** A question that the user is writing. */
export type Draft = Question

export const noDraft: Draft = { text: "", images: [], lang: undefined, mode: "analyst" }

/** The maximum length of a question that the service accepts. */
const longest = 32_000

const useFaults = (): Readonly<Record<ImageFault, string>> => {
  const says = useWords(analystWords)
  return {
    type: says.imageType,
    bytes: says.imageBytes(imageBounds.bytes / 1024 / 1024),
    "all bytes": says.imageAllBytes(imageBounds.allBytes / 1024 / 1024),
    count: says.imageCount(imageBounds.count),
    pixels: says.imagePixels(imageBounds.pixels / 1_000_000),
    unreadable: says.imageUnreadable
  }
}

/** Adds images one after the other, and reports why the last rejected one was not accepted. */
const useImages = (draft: Draft, change: (change: (draft: Draft) => Draft) => void) => {
  const faults = useFaults()
  const [fault, setFault] = useState<string>()
  const add = async (files: ReadonlyArray<File>) => {
    setFault(undefined)
    const taken: Array<Attached> = []
    for (const file of files) {
      const early = imageFault(file, [...draft.images, ...taken])
      const one = early ?? await attach(file)
      if (typeof one === "string") setFault(`${file.name}: ${faults[one]}`)
      else taken.push(one)
    }
    change((before) => ({ ...before, images: [...before.images, ...taken].slice(0, imageBounds.count) }))
  }
  const remove = (id: string) => {
    setFault(undefined)
    change((before) => ({ ...before, images: before.images.filter((one) => one.id !== id) }))
  }
  return { add, remove, fault }
}

const Thumbs = ({ images, onRemove }: Pick<Draft, "images"> & { readonly onRemove: (id: string) => void }) => {
  const says = useWords(analystWords)
  return (
    <ul className={styles["thumbs"]}>
      {images.map(({ address, id, name }) => (
        <li key={id} className={styles["thumb"]}>
          <img src={address} alt={name} />
          <Pressed className={styles["remove"]!} aria-label={says.imageRemove(name)} onPress={() => onRemove(id)}>
            <X aria-hidden />
          </Pressed>
        </li>
      ))}
    </ul>
  )
}

type LanguageChoice = Language | "asked"

const Choices = ({ change, draft, isNew }: {
  readonly draft: Draft
  readonly isNew: boolean
  readonly change: (change: (draft: Draft) => Draft) => void
}) => {
  const says = useWords(analystWords)
  const chosen: LanguageChoice = draft.lang ?? "asked"
  const languageOptions: ReadonlyArray<{ readonly value: LanguageChoice; readonly label: string }> = [
    { value: "asked", label: says.languageAsked },
    ...languages.map((value) => ({ value, label: languageNames[value] }))
  ]
  const language = draft.lang === undefined ? says.languageShort : languageNames[draft.lang]
  const mode = draft.mode === "mentor" ? says.modeMentorShort : says.modeAnalystShort
  const modes = [{ value: "analyst", label: says.modeAnalyst }, { value: "mentor", label: says.modeMentor }] as const
  return (
    <>
      <Menu
        label={says.language}
        button={
          <Button look="quiet" aria-label={`${says.language}: ${language}`}>
            <Languages aria-hidden />
            <span className={styles["chosen"]}>{language}</span>
          </Button>
        }
      >
        <MenuChoice
          title={says.language}
          chosen={chosen}
          options={languageOptions}
          onChange={(value) => change((before) => ({ ...before, lang: value === "asked" ? undefined : value }))}
        />
      </Menu>
      {isNew && (
        <Menu
          label={says.mode}
          button={
            <Button look="quiet" aria-label={`${says.mode}: ${mode}`}>
              <GraduationCap aria-hidden />
              <span className={styles["chosen"]}>{mode}</span>
            </Button>
          }
        >
          <MenuChoice
            title={says.mode}
            chosen={draft.mode}
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

const Stop = ({ onStop }: { readonly onStop: (() => void) | undefined }) => {
  const says = useWords(analystWords)
  return (
    <Button onPress={() => onStop?.()} isDisabled={onStop === undefined}>
      <Square aria-hidden />
      {says.stop}
    </Button>
  )
}

/** The field for a question. Enter sends the question; Shift and Enter add a line. */
export const Composer = ({ change, draft, field, hint, isNew, isRunning, onSend, onStop }: {
  readonly draft: Draft
  readonly change: (change: (draft: Draft) => Draft) => void
  readonly isNew: boolean
  readonly isRunning: boolean
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly hint: string | undefined
  readonly onSend: () => void
  /** Undefined if the answer cannot be stopped yet. */
  readonly onStop: (() => void) | undefined
}) => {
  const says = useWords(analystWords)
  const { add, fault, remove } = useImages(draft, change)
  const isReady = draft.text.trim() !== "" && !isRunning
  const typed = (event: KeyboardEvent) => {
    // Enter also completes a syllable of an input method, and must not send the question then.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (isReady) onSend()
  }
  const pasted = (event: ClipboardEvent) => {
    const images = imagesIn(event)
    if (images.length === 0) return
    event.preventDefault()
    void add(images)
  }
  return (
    <div className={styles["composer"]}>
      {draft.images.length > 0 && <Thumbs images={draft.images} onRemove={remove} />}
      {fault !== undefined && <p className={styles["fault"]} role="alert">{fault}</p>}
      <TextField
        aria-label={says.question}
        value={draft.text}
        maxLength={longest}
        onChange={(text) => change((before) => ({ ...before, text }))}
      >
        <TextArea
          ref={field}
          className={styles["field"]!}
          rows={2}
          placeholder={says.placeholder}
          onKeyDown={typed}
          onPaste={pasted}
        />
      </TextField>
      <div className={styles["bar"]}>
        <FileTrigger
          acceptedFileTypes={imageTypes}
          allowsMultiple
          onSelect={(files) => void add(files === null ? [] : [...files])}
        >
          <Button look="quiet" isSquare aria-label={says.attach}>
            <Paperclip aria-hidden />
          </Button>
        </FileTrigger>
        <Choices draft={draft} change={change} isNew={isNew} />
        <span className={styles["hint"]}>{hint}</span>
        {isRunning ? <Stop onStop={onStop} /> : (
          <Button look="primary" onPress={onSend} isDisabled={!isReady}>
            <ArrowUp aria-hidden />
            {says.send}
          </Button>
        )}
      </div>
    </div>
  )
}

// All English words of the page, so that it can be translated in one place. Grouped by where they stand.

export const text = {
    damaged: "This report cannot be shown",
    oldBrowser: "This browser is too old for the report: Chrome, Firefox or Safari from 2023 on will do.",
};

/**
 * Colours of charts, in figures and on the page. They equal the colours of the page's style sheet, which a file cannot use; a test
 * compares them.
 */
import type { Hue } from './kinds.ts';
import type { Theme } from '../heat/palette.ts';

export interface ChartColours {
  readonly theme: Theme;
  /** Background around and under charts. */
  readonly ground: string;
  readonly chart: string;
  readonly raised: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly text: string;
  readonly text2: string;
  readonly text3: string;
  readonly accent: string;
  readonly accentSoft: string;
  readonly bad: string;
  readonly hues: Readonly<Record<Hue, string>>;
  /** Eight colours that distinguish neighbours in a flame chart. */
  readonly flames: readonly string[];
  /** Strength of these colours in a flame, so that text on it is readable. */
  readonly flameStrength: number;
}

export const CHART_COLOURS: Readonly<Record<Theme, ChartColours>> = {
  dark: {
    theme: 'dark',
    ground: '#12171f',
    chart: '#0d1117',
    raised: '#1a212b',
    line: '#222a35',
    lineStrong: '#3b4756',
    text: '#e6eaf0',
    text2: '#aab4c2',
    text3: '#939eae',
    accent: '#62c7f7',
    accentSoft: '#17364a',
    bad: '#ff8a80',
    hues: {
      fetch: '#5c9ded',
      read: '#3dc4a2',
      write: '#f29d52',
      'port-read': '#b79cf2',
      'port-write': '#e08be0',
      control: '#ff6f86',
      branch: '#e6d05c',
      register: '#8f9bc4',
      quiet: '#6f7a89',
    },
    flames: ['#5c9ded', '#3dc4a2', '#f29d52', '#b79cf2', '#e6d05c', '#ff6f86', '#7fd0e8', '#a3b18a'],
    flameStrength: 0.4,
  },
  light: {
    theme: 'light',
    ground: '#ffffff',
    chart: '#ffffff',
    raised: '#f4f6f9',
    line: '#dfe4eb',
    lineStrong: '#a9b4c2',
    text: '#141b24',
    text2: '#435064',
    text3: '#596678',
    accent: '#0b62b8',
    accentSoft: '#dcebfa',
    bad: '#b3261e',
    hues: {
      fetch: '#2f6fd0',
      read: '#0d8a6c',
      write: '#c96310',
      'port-read': '#7b55cf',
      'port-write': '#b03fb0',
      control: '#d02748',
      branch: '#8d7600',
      register: '#5c699c',
      quiet: '#7b8696',
    },
    flames: ['#2f6fd0', '#0d8a6c', '#c96310', '#7b55cf', '#8d7600', '#d02748', '#16839f', '#637a3a'],
    flameStrength: 0.28,
  },
};

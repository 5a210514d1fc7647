# Entry, and what C cannot say.
  .text
  .globl _start
  .type _start, @function
_start:
  call program
  .globl finished
finished:
  jmp finished
  .size _start, . - _start

  .globl mark_place
  .type mark_place, @function
mark_place:
  movl 4(%esp), %edx
  movl %ebx, 0(%edx)
  movl %esi, 4(%edx)
  movl %edi, 8(%edx)
  movl %ebp, 12(%edx)
  leal 4(%esp), %ecx
  movl %ecx, 16(%edx)
  movl (%esp), %ecx
  movl %ecx, 20(%edx)
  xorl %eax, %eax
  ret
  .size mark_place, . - mark_place

  .globl go_back
  .type go_back, @function
go_back:
  movl 4(%esp), %edx
  movl 8(%esp), %eax
  testl %eax, %eax
  jne 1f
  incl %eax
1:
  movl 0(%edx), %ebx
  movl 4(%edx), %esi
  movl 8(%edx), %edi
  movl 12(%edx), %ebp
  movl 16(%edx), %esp
  jmp *20(%edx)
  .size go_back, . - go_back
  .section .note.GNU-stack, "", @progbits

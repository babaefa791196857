// Host and device work on the same memory: a linked list in managed memory, and managed variables.
#include "check.h"

#include <new>

struct Node {
    int value;
    Node* next;
};

__managed__ int visits = 0;
__managed__ Node* head = nullptr;

__global__ void double_all() {
    for (Node* node = head; node; node = node->next) {
        node->value *= 2;
        ++visits;
    }
}

int main() {
    for (int i = 0; i < 20; ++i) {
        void* memory = nullptr;
        CHECK(cudaMallocManaged(&memory, sizeof(Node)));
        head = new (memory) Node{i, head};
    }
    double_all<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    int sum = 0;
    while (head) {
        Node* next = head->next;
        sum += head->value;
        CHECK(cudaFree(head));
        head = next;
    }
    std::printf("visited %d, sum %d\n", visits, sum);
    return verdict(visits == 20 && sum == 2 * 190);
}
